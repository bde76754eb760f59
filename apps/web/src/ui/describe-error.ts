export type DescribedError = { message: string; requestId: string | null; signIn: boolean };

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Whether the server said that there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return record(record(error).data).code === "NOT_FOUND";
}

/** Words for a person out of whatever was thrown: a tRPC error, a network failure, anything. */
export function describeError(error: unknown): DescribedError {
  const data = record(record(error).data);
  const requestId = typeof data.requestId === "string" ? data.requestId : null;
  if (data.code === "UNAUTHORIZED" || data.httpStatus === 401) {
    return {
      message: "This browser is not signed in. Open the link that LiveRL printed when it started.",
      requestId,
      signIn: true,
    };
  }
  const message = record(error).message;
  if (typeof message !== "string" || message === "")
    return { message: "No reason was given.", requestId, signIn: false };
  if (/failed to fetch|networkerror|load failed/i.test(message)) {
    return {
      message: "LiveRL does not answer. It may be restarting; this page reconnects by itself.",
      requestId,
      signIn: false,
    };
  }
  return { message, requestId, signIn: false };
}
