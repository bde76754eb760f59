import type { IncomingMessage } from "node:http";

const DRAIN_MS = 10_000;
const DRAIN_BYTES = 256 * 1024 * 1024;

/**
 * Reads the rest of a request that is refused and throws it away, for a while. Most clients read no answer before they have sent
 * all: with a cut connection it would be lost.
 */
export function drainRequest(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const late = setTimeout(resolve, DRAIN_MS);
    const end = () => {
      clearTimeout(late);
      resolve();
    };
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > DRAIN_BYTES) end();
    });
    for (const event of ["end", "close", "error"] as const) request.once(event, end);
    request.resume();
  });
}
