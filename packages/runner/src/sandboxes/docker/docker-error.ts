import { TrialError } from "#trials/trial-error.ts";

/** The HTTP status that the daemon answered with; null where it did not answer. */
export function statusOf(error: unknown): number | null {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
    ? error.statusCode
    : null;
}

/** What is asked for where there is nothing. A container that is gone itself is no such answer: it is thrown. */
export function nullIfMissing(error: unknown): null {
  if (statusOf(error) === 404 && !isContainerGone(error)) return null;
  throw error;
}

/** By the words of the answer: what comes before them is the client's, of every 404. */
const isContainerGone = (error: unknown) =>
  error instanceof Error && /- no such container:/i.test(error.message);

/** What connecting gives where nobody listens, or one may not, and a connection that ended before its answer. */
const AWAY = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
  "EACCES",
  "EHOSTUNREACH",
  "ENOTFOUND",
]);
/** Where these codes say something of this host's disk, and nothing of the daemon. */
const OF_FILES = new Set(["open", "mkdir", "scandir", "stat", "lstat", "unlink", "rename"]);

/** Whether the daemon could not be reached, as against an answer of its own or a fault of this host's disk. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || !AWAY.has(String(error.code)))
    return false;
  return !("syscall" in error && OF_FILES.has(String(error.syscall)));
}

/** Codes of OpenSSL's and of TLS' own. */
const isUntrusted = (error: unknown) =>
  error instanceof Error && "code" in error && /CERT|SIGNED|_SSL_|_TLS_/.test(String(error.code));

/** A failed request to the daemon in words; what is one of ours already stays. */
export function toDockerError(error: unknown, doing: string): Error {
  if (error instanceof TrialError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isAway(error))
    return new TrialError(
      "SandboxUnavailableError",
      `No Docker daemon answers (${message}). Start it, or set DOCKER_HOST to its address and start LiveRL again.`,
      error,
    );
  if (isUntrusted(error))
    return new TrialError(
      "SandboxError",
      `The Docker daemon and this host do not trust each other's certificate (${message}): look at DOCKER_CERT_PATH.`,
      error,
    );
  // Of this host's own disk there is an error code, and it is told as such.
  if (statusOf(error) !== null && /no space left on device|disk quota exceeded/i.test(message))
    return new TrialError(
      "SandboxDiskFullError",
      `The disk of the Docker daemon is full: it can not ${doing}. \`docker system df\` says what takes it.`,
      error,
    );
  return new TrialError("SandboxError", `Docker can not ${doing}: ${message}`, error);
}
