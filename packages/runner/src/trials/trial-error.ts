import { AppError } from "@liverl/contract/app-error";
import type { RolloutError } from "@liverl/contract/rollout";

/**
 * Infrastructure failed an attempt: it has no reward. `exceptionType` is Harbor's class name where Harbor has one.
 */
export class TrialError extends AppError {
  readonly exceptionType: string;

  constructor(exceptionType: string, message: string, cause?: unknown) {
    super("UNAVAILABLE", { userMessage: message, cause });
    this.exceptionType = exceptionType;
  }
}

/** Any exception of an attempt as the error of its rollout. */
export function toRolloutError(error: unknown): RolloutError {
  const occurred_at = new Date().toISOString();
  const isDiskFull = isFull(error) || (error instanceof Error && isFull(error.cause));
  if (error instanceof TrialError && !isDiskFull) {
    return {
      exception_type: error.exceptionType,
      exception_message: error.userMessage,
      occurred_at,
    };
  }
  const exception_message =
    error instanceof AppError
      ? error.userMessage
      : error instanceof Error
        ? error.message
        : String(error);
  return {
    exception_type: isDiskFull ? "DiskFullError" : "TrialInfrastructureError",
    exception_message,
    occurred_at,
  };
}

function isFull(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    (error.code === "ENOSPC" || error.code === "EDQUOT")
  );
}
