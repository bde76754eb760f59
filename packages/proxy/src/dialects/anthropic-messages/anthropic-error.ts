import type { Fault, ModelError } from "#dialects/model-error.ts";

/** Statuses by what Claude Code 2.1 does with them (measured): 403 ends it at once, 400 is tried six times, 429 and 5xx eleven times. */
const SHAPE = {
  invalid: [400, "invalid_request_error"],
  unauthenticated: [401, "authentication_error"],
  "not-found": [404, "not_found_error"],
  method: [405, "invalid_request_error"],
  overflow: [400, "invalid_request_error"],
  "session-over": [403, "permission_error"],
  budget: [403, "permission_error"],
  "too-large": [413, "request_too_large"],
  busy: [529, "overloaded_error"],
  unavailable: [503, "api_error"],
  refused: [500, "api_error"],
  internal: [500, "api_error"],
} as const satisfies Record<Fault, readonly [status: number, type: string]>;

/** The place of a fault stands in the message, as Anthropic's own errors have it. */
export function anthropicErrorBody({ fault, message, param }: ModelError) {
  const text = fault === "invalid" && param !== null ? `${param}: ${message}` : message;
  return { type: "error", error: { type: SHAPE[fault][1], message: text } };
}

export function anthropicError(error: ModelError): { status: number; body: unknown } {
  return { status: SHAPE[error.fault][0], body: anthropicErrorBody(error) };
}
