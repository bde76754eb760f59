import { AppError } from "@liverl/contract/app-error";
import { jsonText } from "#trackers/json-text.ts";

const MOST_BYTES = 1_000_000;

/** A configuration as JSON for its column. Throws for one that is too large to be shown. */
export function configText(config: object): string {
  const text = jsonText(config);
  if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  throw new AppError("BAD_REQUEST", {
    userMessage: `A configuration has at most ${MOST_BYTES} bytes of JSON: log larger things as files.`,
  });
}
