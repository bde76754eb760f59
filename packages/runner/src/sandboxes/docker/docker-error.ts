import { TrialError } from "#trials/trial-error.ts";

/** The HTTP status that the daemon answered with; null where it did not answer. */
export function statusOf(error: unknown): number | null {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
    ? error.statusCode
    : null;
}

/** A failed request to the daemon in words; what is one of ours already stays. */
export function toDockerError(error: unknown, doing: string): Error {
  if (error instanceof TrialError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (statusOf(error) !== null)
    return new TrialError("SandboxError", `Docker can not ${doing}: ${message}`, error);
  return new TrialError(
    "SandboxUnavailableError",
    `No Docker daemon answers (${message}). Start it, or set DOCKER_HOST to its address and start LiveRL again.`,
    error,
  );
}
