import { z } from "zod";

/** Closed list of error codes; each maps to one HTTP status in {@link HTTP_STATUS}. */
export const AppErrorCode = z.enum([
  "BAD_REQUEST",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "NOT_FOUND",
  "CONFLICT",
  "TOO_LARGE",
  "TOO_MANY_REQUESTS",
  "UNAVAILABLE",
  "INTERNAL",
]);
export type AppErrorCode = z.infer<typeof AppErrorCode>;

export const HTTP_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  TOO_LARGE: 413,
  TOO_MANY_REQUESTS: 429,
  UNAVAILABLE: 503,
  INTERNAL: 500,
} as const satisfies Record<AppErrorCode, number>;

/**
 * The one error that our code throws on purpose.
 * `message` goes to the log; `userMessage` goes to the caller and says what to do about it.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: AppErrorCode;
  readonly userMessage: string;

  constructor(
    code: AppErrorCode,
    text: { userMessage: string; message?: string; cause?: unknown },
  ) {
    super(text.message ?? text.userMessage, { cause: text.cause });
    this.code = code;
    this.userMessage = text.userMessage;
  }
}

/** Body of every non-2xx answer of our own HTTP APIs (the proxy's dialects use their own shapes). */
export const ErrorBody = z.object({
  error: z.object({ code: AppErrorCode, message: z.string() }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
