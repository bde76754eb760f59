import { AppError, type AppErrorCode, HTTP_STATUS } from "@liverl/contract/app-error";

/** An error in OpenAI's shape; what a client's SDK turns into its own classes. */
export class OpenAiError extends Error {
  override readonly name = "OpenAiError";
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;

  constructor(
    status: number,
    fields: {
      message: string;
      type: string;
      param?: string | null;
      code?: string | null;
      cause?: unknown;
    },
  ) {
    super(fields.message, { cause: fields.cause });
    this.status = status;
    this.type = fields.type;
    this.param = fields.param ?? null;
    this.code = fields.code ?? null;
  }

  static invalid(param: string | null, message: string): OpenAiError {
    return new OpenAiError(400, { message, type: "invalid_request_error", param });
  }

  static contextOverflow(window: number, promptTokens: number): OpenAiError {
    return new OpenAiError(400, {
      message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`,
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    });
  }

  get body() {
    return {
      error: { message: this.message, type: this.type, param: this.param, code: this.code },
    };
  }
}

const TYPE_OF = {
  BAD_REQUEST: "invalid_request_error",
  UNAUTHENTICATED: "authentication_error",
  FORBIDDEN: "permission_error",
  NOT_FOUND: "not_found_error",
  CONFLICT: "invalid_request_error",
  TOO_LARGE: "invalid_request_error",
  TOO_MANY_REQUESTS: "rate_limit_error",
  UNAVAILABLE: "server_error",
  INTERNAL: "server_error",
} as const satisfies Record<AppErrorCode, string>;

/** Whatever was thrown, as a client may see it: the text of unexpected errors stays in our log. */
export function asOpenAiError(error: unknown): OpenAiError {
  if (error instanceof OpenAiError) return error;
  if (error instanceof AppError) {
    return new OpenAiError(HTTP_STATUS[error.code], {
      message: error.userMessage,
      type: TYPE_OF[error.code],
      cause: error,
    });
  }
  return new OpenAiError(500, {
    message: "The proxy failed; its log says why.",
    type: "server_error",
    cause: error,
  });
}
