import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { isTrackedEnvelope } from "@trpc/server";
import { asAppError } from "#errors.ts";

/** Within the shortest idle limit of usual proxies. */
const HEARTBEAT_MS = 15_000;

/**
 * Frames as server-sent events (WHATWG HTML, "Server-sent events"): a frame's id, where it has one, is what a client that
 * comes back sends as `lastEventId`. `gone`: nobody listens any more. An error ends the stream as an event `error` in the shape of every other error.
 */
export function streamEvents(frames: AsyncIterable<unknown>, gone: AbortSignal): Readable {
  const events = new PassThrough();
  const heartbeat = setInterval(() => events.write(": here\n\n"), HEARTBEAT_MS);
  const write = async () => {
    for await (const frame of frames) {
      if (gone.aborted) return;
      if (!events.write(textOf(frame))) await once(events, "drain", { signal: gone });
    }
  };
  write()
    .catch((error: unknown) => {
      if (gone.aborted) return;
      const { code, userMessage } = asAppError(error);
      const body = JSON.stringify({ error: { code, message: userMessage } });
      events.write(`event: error\ndata: ${body}\n\n`);
    })
    .finally(() => {
      clearInterval(heartbeat);
      events.end();
    });
  events.once("close", () => clearInterval(heartbeat));
  // Headers leave with the first bytes: a client knows at once that it listens.
  events.write(": here\n\n");
  return events;
}

function textOf(frame: unknown): string {
  if (!isTrackedEnvelope(frame)) return `data: ${JSON.stringify(frame)}\n\n`;
  const [id, content] = frame;
  return `id: ${id}\ndata: ${JSON.stringify(content)}\n\n`;
}
