export type Connection = {
  status: "connecting" | "open" | "gone";
  /** Since when it is gone, milliseconds; null while it is not. */
  goneSinceMs: number | null;
};

let current: Connection = { status: "connecting", goneSinceMs: null };
const listeners = new Set<() => void>();

function publish(next: Connection): void {
  current = next;
  for (const listener of listeners) listener();
}

/** The one socket's state, outside React. */
export const connection = {
  get: (): Connection => current,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Calls `listener` whenever a lost connection is there again. */
  onReturn(listener: () => void): () => void {
    let before = current.status;
    return connection.subscribe(() => {
      if (before === "gone" && current.status === "open") listener();
      before = current.status;
    });
  },
  opened(): void {
    publish({ ...current, status: "open", goneSinceMs: null });
  },
  closed(): void {
    if (current.status === "gone") return;
    publish({ ...current, status: "gone", goneSinceMs: Date.now() });
  },
};
