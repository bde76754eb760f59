import { AppError, type AppErrorCode } from "@liverl/contract/app-error";

/** What is wrong, in no dialect's words. Each dialect has the status and the text that make its clients do the right thing. */
export type Fault =
  | "invalid"
  | "unauthenticated"
  | "not-found"
  | "method"
  | "overflow"
  | "session-over"
  | "budget"
  | "too-large"
  | "busy"
  | "unavailable"
  | "refused"
  | "internal";

/** Why a call has no answer. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly fault: Fault;
  /** The field that is wrong, as a path. */
  readonly param: string | null;
  /** Finer than the fault: `session_complete`, `context_length_exceeded`, … */
  readonly code: string | null;

  constructor(
    fault: Fault,
    message: string,
    {
      param = null,
      code = null,
      cause,
    }: { param?: string | null; code?: string | null; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.fault = fault;
    this.param = param;
    this.code = code;
  }

  static invalid(param: string | null, message: string): ModelError {
    return new ModelError("invalid", message, { param });
  }

  /** Holds the words by which every known client sees that it has to compact its history. */
  static contextOverflow(window: number, promptTokens: number): ModelError {
    return new ModelError(
      "overflow",
      `prompt is too long: ${promptTokens} tokens > ${window} maximum. This model's maximum context length is ${window} tokens. Please reduce the length of the messages.`,
      { param: "messages", code: "context_length_exceeded" },
    );
  }
}

const FAULT_OF = {
  BAD_REQUEST: "invalid",
  UNAUTHENTICATED: "unauthenticated",
  FORBIDDEN: "unauthenticated",
  NOT_FOUND: "not-found",
  CONFLICT: "session-over",
  TOO_LARGE: "too-large",
  TOO_MANY_REQUESTS: "busy",
  UNAVAILABLE: "unavailable",
  INTERNAL: "internal",
} as const satisfies Record<AppErrorCode, Fault>;

/** Whatever was thrown, as a client may see it: the text of unexpected errors stays in our log. */
export function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof AppError)
    return new ModelError(FAULT_OF[error.code], error.userMessage, { cause: error });
  return new ModelError("internal", "The proxy failed; its log says why.", { cause: error });
}
