import { open } from "node:fs/promises";
import { AppError } from "@liverl/contract/app-error";
import { WebSocket } from "ws";
import { guardedLookup, refuseBarred } from "#outgoing.ts";
import { type RayPlace, rayHeaders, rayUrl } from "#ray/call-ray.ts";
import { explainRayError } from "#ray/explain-ray-error.ts";

const CONNECT_MS = 15_000;
/** Probes of the kernel: Ray never reads from this socket while it sends, so that it answers no ping. */
const KEEP_ALIVE_MS = 15_000;
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/**
 * Appends to `path` what the job has printed beyond what the file holds, until Ray closes: it does so at the job's end, and
 * sends everything from the start to each that connects. So the file's own size says what is known, over restarts too, and
 * each byte that Ray sends is appended once. True where Ray closed by itself, false where `signal` did; rejects with an
 * AppError where the connection broke.
 */
export async function pullJobLog(
  place: RayPlace,
  submissionId: string,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  refuseBarred(place.address);
  const headers = await rayHeaders(place);
  const file = await open(path, "a");
  try {
    let known = (await file.stat()).size;
    await readFrames(place, submissionId, headers, signal, async (frame) => {
      const fresh = known >= frame.length ? frame.subarray(frame.length) : frame.subarray(known);
      known = Math.max(0, known - frame.length);
      if (fresh.length > 0) await file.appendFile(fresh);
    });
    await file.sync();
    return !signal.aborted;
  } finally {
    await file.close();
  }
}

/** Hands over each frame in turn; the socket waits while one is written. */
function readFrames(
  place: RayPlace,
  submissionId: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  take: (frame: Buffer) => Promise<void>,
): Promise<void> {
  const path = `/api/jobs/${encodeURIComponent(submissionId)}/logs/tail`;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve();
    const socket = new WebSocket(rayUrl(place, path).replace(/^http/, "ws"), {
      headers,
      lookup: guardedLookup,
      handshakeTimeout: CONNECT_MS,
      followRedirects: false,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
    });
    let writing: Promise<void> = Promise.resolve();
    let fault: unknown = null;
    const cut = () => socket.terminate();
    signal.addEventListener("abort", cut, { once: true });
    socket.on("upgrade", (response) => response.socket.setKeepAlive(true, KEEP_ALIVE_MS));
    socket.on("unexpected-response", (_, response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("close", () => {
        const text = Buffer.concat(parts).toString("utf8").slice(0, 10_000);
        fault = explainRayError(place, { path, status: response.statusCode ?? 0, text });
        finish();
      });
    });
    socket.on("message", (frame: Buffer) => {
      socket.pause();
      writing = writing
        .then(() => take(frame))
        .then(
          () => socket.resume(),
          (error: unknown) => {
            fault ??= error;
            socket.terminate();
          },
        );
    });
    socket.on("error", (error) => {
      fault ??= error;
    });
    // 1000: Ray ended it. Ray's agent going away closes without a word (1006).
    socket.on("close", (code) => {
      if (code !== 1000) fault ??= new Error(`the connection was closed (${code})`);
      finish();
    });
    let isOver = false;
    function finish() {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener("abort", cut);
      writing.then(() => {
        if (signal.aborted || fault === null) resolve();
        else reject(asAppError(place, fault));
      }, reject);
    }
  });
}

function asAppError({ address }: RayPlace, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AppError("UNAVAILABLE", {
    userMessage: `The job's log broke off at ${address}: ${why}.`,
    cause,
  });
}
