import type { IncomingMessage } from "node:http";
import { EngineError, invalidRequest } from "#engine/http/engine-error.ts";

const LIMIT_BYTES = 4 * 1024 * 1024;

/** The JSON body; undefined where there is none. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    sizeBytes += part.length;
    if (sizeBytes > LIMIT_BYTES)
      throw new EngineError(413, "Request Entity Too Large", "The body is larger than 4 MiB.");
    parts.push(part);
  }
  if (sizeBytes === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    throw invalidRequest("body", "JSON decode error");
  }
}
