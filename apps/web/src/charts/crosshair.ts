export type Crosshair = { step: number; owner: string } | null;

/** The step under the pointer, shared by all panels of a page, outside React. */
export function createCrosshair() {
  let current: Crosshair = null;
  const listeners = new Set<(crosshair: Crosshair) => void>();
  return {
    get: (): Crosshair => current,
    set(next: Crosshair): void {
      if (next?.step === current?.step && next?.owner === current?.owner) return;
      current = next;
      for (const listener of listeners) listener(current);
    },
    subscribe(listener: (crosshair: Crosshair) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
export type CrosshairStore = ReturnType<typeof createCrosshair>;
