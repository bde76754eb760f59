export type Connection = {
  status: "connecting" | "open" | "gone";
  /** Since when it is gone, milliseconds; null while it is not. */
  goneSinceMs: number | null;
  /** Wall time of the newest data point that this page knows; null before the first. */
  newestMs: number | null;
};

let current: Connection = { status: "connecting", goneSinceMs: null, newestMs: null };
const listeners = new Set<() => void>();

function publish(next: Connection): void {
  current = next;
  for (const listener of listeners) listener();
}

/** The one socket's state and the age of what came over it, outside React. */
export const connection = {
  get: (): Connection => current,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  opened(): void {
    publish({ ...current, status: "open", goneSinceMs: null });
  },
  closed(): void {
    if (current.status === "gone") return;
    publish({ ...current, status: "gone", goneSinceMs: Date.now() });
  },
  /** Newer data arrived; older times are ignored. */
  sawData(atMs: number): void {
    if (!Number.isFinite(atMs) || (current.newestMs !== null && atMs <= current.newestMs)) return;
    publish({ ...current, newestMs: atMs });
  },
};
