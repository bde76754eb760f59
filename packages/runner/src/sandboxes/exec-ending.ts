import type { ExecCommand } from "#sandboxes/sandbox.ts";

/** What came first: the command's own end, its time, or its caller's abort. */
export function endOf(
  closed: Promise<void>,
  { timeoutMs, signal }: Pick<ExecCommand, "timeoutMs" | "signal">,
): Promise<"closed" | "late" | "aborted"> {
  return new Promise((resolve) => {
    const timer = timeoutMs === null ? null : setTimeout(() => settle("late"), timeoutMs);
    const abort = () => settle("aborted");
    const settle = (end: "closed" | "late" | "aborted") => {
      if (timer) clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      resolve(end);
    };
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    void closed.then(() => settle("closed"));
  });
}
