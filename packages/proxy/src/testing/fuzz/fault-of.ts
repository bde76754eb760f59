/** An answer as its client read it. */
export interface FuzzAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** What a body may get: an answer, or its own fault named. */
const FINE = new Set([200, 400, 404, 409, 413, 415, 422, 429]);
const STREAM_ENDS =
  /data: \[DONE\]\s*$|event: (?:message_stop|error|response\.(?:completed|failed|incomplete))\n/;
const OURS = /The proxy failed|its log says why|"type":"(?:server_error|api_error)"/;

/** What is wrong with the answer to a fuzzed body; null when nothing is. Bodies may be refused, and nothing may fail. */
export function faultOf({ status, headers, text }: FuzzAnswer): string | null {
  if (status === 503 && headers["retry-after"] !== undefined) return null;
  if (!FINE.has(status)) return `status ${status}`;
  if (OURS.test(text) && status !== 200) return "an error of ours";
  if (String(headers["content-type"]).startsWith("text/event-stream")) {
    if (!STREAM_ENDS.test(text)) return "a stream without an end";
    return /data: \{"(?:type":"error",")?error":/.test(text) && OURS.test(text)
      ? "an error of ours in a stream"
      : null;
  }
  try {
    JSON.parse(text);
  } catch {
    return "an answer that is no JSON";
  }
  return null;
}
