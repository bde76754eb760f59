/** `at`: the place on the x axis, in its own unit, where several runs are shown by time or tokens; null where the step says it. */
export type Crosshair = { step: number; at: number | null; owner: string } | null;
type Listener = (crosshair: Crosshair) => void;

/**
 * The step under the pointer, shared by all panels of a page, outside React. The panel under the pointer hears of it at once,
 * and so does the one that was; the others after that frame, so that it does not wait for them.
 */
export function createCrosshair() {
  let current: Crosshair = null;
  let isTelling = false;
  const listeners = new Map<string, Listener>();
  const tell = (id: string | undefined) => id !== undefined && listeners.get(id)?.(current);
  return {
    get: (): Crosshair => current,
    set(next: Crosshair): void {
      if (
        next?.step === current?.step &&
        next?.at === current?.at &&
        next?.owner === current?.owner
      )
        return;
      const before = current?.owner;
      current = next;
      tell(next?.owner);
      if (before !== next?.owner) tell(before);
      if (isTelling) return;
      isTelling = true;
      setTimeout(() => {
        isTelling = false;
        for (const id of listeners.keys()) if (id !== current?.owner) tell(id);
      });
    },
    /** `id`: of a panel, as in `owner`. */
    subscribe(id: string, listener: Listener): () => void {
      listeners.set(id, listener);
      return () => listeners.delete(id);
    },
  };
}
export type CrosshairStore = ReturnType<typeof createCrosshair>;
