import type { Fault, ModelError } from "#dialects/model-error.ts";

/**
 * Statuses by what clients do with them (measured: OpenCode 1.18, Codex 0.169, the SDKs): 400 ends the call at once,
 * while 410, 413 and 429 are asked again for minutes.
 */
const SHAPE = {
  invalid: [400, "invalid_request_error"],
  unauthenticated: [401, "authentication_error"],
  "not-found": [404, "not_found_error"],
  method: [405, "invalid_request_error"],
  overflow: [400, "invalid_request_error"],
  "session-over": [400, "invalid_request_error"],
  budget: [400, "invalid_request_error"],
  "too-large": [400, "invalid_request_error"],
  busy: [503, "server_error"],
  unavailable: [503, "server_error"],
  refused: [500, "server_error"],
  internal: [500, "server_error"],
} as const satisfies Record<Fault, readonly [status: number, type: string]>;

/** OpenAI's error object, as both of its dialects have it. */
export function openAiErrorBody({ fault, message, param, code }: ModelError) {
  return { error: { message, type: SHAPE[fault][1], param, code } };
}

export function openAiError(error: ModelError): { status: number; body: unknown } {
  return { status: SHAPE[error.fault][0], body: openAiErrorBody(error) };
}
