import { TrialError } from "#trials/trial-error.ts";

/** The HTTP status that the daemon answered with; null where it did not answer. */
export function statusOf(error: unknown): number | null {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
    ? error.statusCode
    : null;
}

/** What connecting gives where nobody listens, or one may not. */
const AWAY = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EACCES",
  "EHOSTUNREACH",
  "ENOTFOUND",
]);

/** Whether the daemon could not be reached, as against an answer of its own or a fault of this host's disk. */
export function isAway(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    AWAY.has(String(error.code)) &&
    "syscall" in error &&
    !["open", "read", "write", "mkdir"].includes(String(error.syscall))
  );
}

/** A failed request to the daemon in words; what is one of ours already stays. */
export function toDockerError(error: unknown, doing: string): Error {
  if (error instanceof TrialError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (!isAway(error))
    return new TrialError("SandboxError", `Docker can not ${doing}: ${message}`, error);
  return new TrialError(
    "SandboxUnavailableError",
    `No Docker daemon answers (${message}). Start it, or set DOCKER_HOST to its address and start LiveRL again.`,
    error,
  );
}
