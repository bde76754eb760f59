import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, ErrorBody } from "@liverl/contract/app-error";
import {
  SampledOutside,
  type SampleOutside,
  ScoredOutside,
  type ScoreOutside,
} from "@liverl/contract/engine-question";
import { request } from "undici";
import type { z } from "zod";

/** A proxy that died is started again within seconds. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 250;

/** What control asks the proxy's admin port for. Throws the proxy's own AppErrors; UNAVAILABLE where it does not answer. */
export interface ProxyClient {
  sample(asked: SampleOutside, signal: AbortSignal): Promise<SampledOutside>;
  score(asked: ScoreOutside, signal: AbortSignal): Promise<ScoredOutside>;
}

export function buildProxyClient(dataDir: string): ProxyClient {
  const folder = join(dataDir, "proxy");
  const ask = async <S extends z.ZodType>(
    path: string,
    body: object,
    answer: S,
    signal: AbortSignal,
  ): Promise<z.infer<S>> => {
    const { status, text } = await patiently(() => post(folder, path, body, signal), signal);
    if (status === 200) return answer.parse(JSON.parse(text));
    throw refusalOf(status, text);
  };
  return {
    sample: (asked, signal) => ask("/sample", asked, SampledOutside, signal),
    score: (asked, signal) => ask("/score", asked, ScoredOutside, signal),
  };
}

async function post(
  folder: string,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  // Read at each request: a proxy that was started again may have had to move.
  const [port, token] = await Promise.all([
    readFile(join(folder, "admin-port"), "utf8"),
    readFile(join(folder, "admin.token"), "utf8"),
  ]);
  const { statusCode, body: answer } = await request(`http://127.0.0.1:${port.trim()}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    // A long completion takes as long as it takes; the signal ends it.
    ...{ headersTimeout: 0, bodyTimeout: 0, signal },
  });
  return { status: statusCode, text: await answer.text() };
}

async function patiently<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const giveUpAt = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS, undefined, { signal })) {
    try {
      return await act();
    } catch (cause) {
      signal.throwIfAborted();
      if (Date.now() < giveUpAt) continue;
      throw new AppError("UNAVAILABLE", {
        userMessage: "The proxy does not answer. It restarts by itself; try again in a minute.",
        cause,
      });
    }
  }
}

function refusalOf(status: number, text: string): AppError {
  try {
    const { code, message } = ErrorBody.parse(JSON.parse(text)).error;
    return new AppError(code, { userMessage: message });
  } catch (cause) {
    return new AppError("INTERNAL", {
      userMessage: `The proxy answered ${status}; its log says why.`,
      cause,
    });
  }
}
