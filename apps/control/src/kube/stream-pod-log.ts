import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { ApiException } from "@kubernetes/client-node";
import { explainKubeError } from "#kube/explain-kube-error.ts";
import type { KubePlace } from "#kube/load-kube.ts";

const ANSWER_MS = 15_000;
/** Probes of the kernel: a log may be silent for hours. */
const KEEP_ALIVE_MS = 15_000;
const LONGEST_FAULT = 64 * 1024;

/**
 * A container's log from `sinceTime` on (whole seconds), each line behind the time at which it was printed (RFC 3339 with
 * nanoseconds), until the container ends or `signal` fires. Throws an AppError; rejects in the middle where the connection
 * breaks. The library's own reader has no error handler on the body, which would end this process.
 */
export async function* streamPodLog(
  place: KubePlace,
  { pod, container, sinceTime }: { pod: string; container: string; sinceTime: string | null },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const act = { verb: "get", resource: "pods/log" };
  const url = new URL(
    `${place.server.replace(/\/$/, "")}/api/v1/namespaces/${encodeURIComponent(place.namespace)}/pods/${encodeURIComponent(pod)}/log`,
  );
  url.search = new URLSearchParams({
    ...{ container, follow: "true", timestamps: "true" },
    ...(sinceTime !== null && { sinceTime }),
  }).toString();
  const options: RequestOptions = {};
  let response: IncomingMessage;
  try {
    await place.config.applyToHTTPSOptions(options);
    response = await open(url, options, signal);
  } catch (error) {
    if (signal.aborted) return;
    throw explainKubeError(place, act, error);
  }
  try {
    if (response.statusCode !== 200) {
      const code = response.statusCode ?? 0;
      const body = await textOf(response);
      throw new ApiException(code, `the log was answered with ${code}`, body, {});
    }
    for await (const chunk of response) yield chunk as Buffer;
  } catch (error) {
    if (signal.aborted) return;
    throw explainKubeError(place, act, error);
  } finally {
    response.destroy();
  }
}

function open(url: URL, options: RequestOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const start = url.protocol === "http:" ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const asking = start(url, { ...options, signal }, (response) => {
      clearTimeout(late);
      response.socket.setKeepAlive(true, KEEP_ALIVE_MS);
      resolve(response);
    });
    const late = setTimeout(() => asking.destroy(new Error("no answer in time")), ANSWER_MS);
    // Also what breaks later ends up at the response; without a listener it would end this process.
    asking.on("error", (error) => {
      clearTimeout(late);
      reject(error);
    });
    asking.end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > LONGEST_FAULT) break;
  }
  return text;
}
