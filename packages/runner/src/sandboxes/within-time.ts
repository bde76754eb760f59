/**
 * The work's result, unless its time is over or the signal aborts first. Either way the work's own signal is aborted, and
 * what it still does is its affair. Throws `late()` or the signal's reason.
 */
export async function withinTime<T>(
  { timeoutMs, signal, late }: { timeoutMs: number | null; signal: AbortSignal; late: () => Error },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const stop = () => own.abort(signal.reason);
  const timer = timeoutMs === null ? null : setTimeout(() => own.abort(late()), timeoutMs);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const working = work(own.signal);
    working.catch(() => undefined);
    const over = new Promise<never>((_, reject) =>
      own.signal.addEventListener("abort", () => reject(own.signal.reason), { once: true }),
    );
    return await Promise.race([working, over]);
  } finally {
    if (timer) clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
