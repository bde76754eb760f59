/** An error in the shape of vLLM's API: `{"error": {message, type, param, code}}`. */
export class EngineError extends Error {
  override readonly name = "EngineError";

  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }

  get body() {
    return {
      error: { message: this.message, type: this.type, param: this.param, code: this.status },
    };
  }
}

/** The request was understood and its values are not acceptable. */
export function badRequest(message: string, param: string | null = null): EngineError {
  return new EngineError(400, "BadRequestError", message, param);
}

/** The request does not have the shape of the API; vLLM names this type with a space. */
export function invalidRequest(location: string, message: string): EngineError {
  return new EngineError(
    400,
    "Bad Request",
    `1 validation error:\n  {'loc': '${location}', 'msg': '${message}'}`,
    location,
  );
}
