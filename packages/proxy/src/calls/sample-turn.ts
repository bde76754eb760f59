import { setTimeout as sleep } from "node:timers/promises";
import { hash32 } from "@liverl/contract/random";
import type { EngineReplicas, Replica } from "#backends/engine-replicas.ts";
import { EngineAway, type GenerateChunk } from "#backends/inference-backend.ts";
import { EarlyEnd } from "#calls/early-end.ts";
import type { SamplingPlan } from "#calls/plan-sampling.ts";
import type { RequestTokens, SampledTokens } from "#calls/sampled-tokens.ts";
import { StopStrings } from "#calls/stop-strings.ts";
import type { AbortCause } from "#sessions/session.ts";

export interface SampleTurn {
  /** The engines as they are now: a pool may be replaced while a turn waits for one to come back. */
  engines(): EngineReplicas;
  /** Names the call in the engine's log: each request is `<prefix><k>`. */
  requestPrefix: string;
  promptIds: readonly number[];
  sampling: SamplingPlan;
  stop: readonly string[];
  cacheSalt: string;
  /** Starts reading the turn's text, for stop strings. */
  streamText(): { push(id: number): string };
  preferred: string | null;
  signal: AbortSignal;
  onFailure(error: Error): void;
  /** Gets all that was sampled so far, also when the turn is broken off. */
  sampled: SampledTokens;
}

const GIVE_UP_AFTER_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** Nobody waits for single tokens unless a stop string has to be found: the answer leaves when the turn is whole. */
const TOKENS_PER_CHUNK = 32;

/** Samples one turn to its end: through aborts of the engine by resuming, through its failures by starting again. */
export async function sampleTurn(
  turn: SampleTurn,
): Promise<{ stopReason: "stop" | "length"; cutText: string | null; replica: string }> {
  const deadline = Date.now() + GIVE_UP_AFTER_MS;
  let pauseMs = FIRST_PAUSE_MS;
  for (let k = 0; ; k++) {
    const replica = turn.engines().choose(turn.preferred);
    try {
      const end = await requestOnce(turn, replica, `${turn.requestPrefix}${k}`);
      if (end.reason !== "abort")
        return { stopReason: end.reason, cutText: end.cutText, replica: replica.url };
      // An engine that is being paused may abort again at once: do not spin.
      pauseMs = end.progressed ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      if (!end.progressed) await sleep(pauseMs, undefined, { signal: turn.signal });
    } catch (error) {
      if (!(error instanceof EngineAway) || turn.signal.aborted || Date.now() > deadline)
        throw error;
      replica.healthy = false;
      turn.onFailure(error);
      await sleep(pauseMs, undefined, { signal: turn.signal });
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
}

interface RequestEnd {
  reason: "stop" | "length" | "abort";
  cutText: string | null;
  progressed: boolean;
}

async function requestOnce(
  turn: SampleTurn,
  replica: Replica,
  requestId: string,
): Promise<RequestEnd> {
  const { sampled, sampling } = turn;
  const budget = sampling.max_tokens - sampled.length;
  if (budget <= 0) return { reason: "length", cutText: null, progressed: false };
  turn.signal.throwIfAborted();
  const request = sampled.begin(requestId);
  const early = new EarlyEnd(replica.backend, requestId);
  // What a client left behind is kept with its versions; a session that is being completed waits for nothing.
  const leave = () =>
    turn.signal.reason === ("client-gone" satisfies AbortCause) ? early.ask() : early.breakOff();
  turn.signal.addEventListener("abort", leave, { once: true });
  replica.inFlight += 1;
  try {
    const stream = replica.backend.generate(
      {
        request_id: requestId,
        token_ids: [...turn.promptIds, ...sampled.ids],
        sampling_params: {
          ...sampling,
          max_tokens: budget,
          seed: seedOf(sampling.seed, sampled.length),
          logprobs: 0,
          ...(turn.stop.length === 0 && { stream_interval: TOKENS_PER_CHUNK }),
        },
        stream: true,
        cache_salt: turn.cacheSalt,
      },
      early.signal,
    );
    const end = await readStream(turn, stream, request, early);
    turn.signal.throwIfAborted();
    return end.cutText === null ? endOf(end.reason, request) : endOfCut(end.cutText, request);
  } finally {
    turn.signal.removeEventListener("abort", leave);
    early.close();
    replica.inFlight -= 1;
  }
}

/** Reads to the last chunk, also past a stop string: the engine is then asked to end the request. */
async function readStream(
  turn: SampleTurn,
  stream: AsyncIterable<GenerateChunk>,
  request: RequestTokens,
  early: EarlyEnd,
): Promise<{ reason: string | null; cutText: string | null }> {
  const take = takerOf(turn, request);
  let reason: string | null = null;
  let cutText: string | null = null;
  try {
    for await (const chunk of stream) {
      reason = chunk.finishReason ?? reason;
      if (cutText !== null) request.passOver(chunk);
      else cutText = take(chunk);
      if (cutText !== null && reason === null) early.ask();
    }
  } catch (error) {
    // A turn that is cut lacks its versions without the last chunk, and nothing else.
    if (cutText === null) throw error;
  }
  return { reason, cutText };
}

/** Takes chunks up to the one that completes a stop string: that one gives the text before it. */
function takerOf(
  turn: SampleTurn,
  request: RequestTokens,
): (chunk: GenerateChunk) => string | null {
  if (turn.stop.length === 0) {
    return (chunk) => {
      request.push(chunk);
      return null;
    };
  }
  const text = turn.streamText();
  const stops = new StopStrings(turn.stop);
  for (const id of turn.sampled.ids) stops.push(text.push(id));
  return (chunk) => request.pushUntilStop(chunk, text, stops);
}

function endOfCut(cutText: string, request: RequestTokens): RequestEnd {
  request.keep();
  return { reason: "stop", cutText, progressed: true };
}

function endOf(reason: string | null, request: RequestTokens): RequestEnd {
  const progressed = request.length > 0;
  if (reason === "abort") {
    if (progressed) request.keep();
    return { reason, cutText: null, progressed };
  }
  if (reason !== "stop" && reason !== "length")
    throw new EngineAway(`the engine ended with ${reason ?? "no finish reason"}`);
  if (!progressed) throw new EngineAway("the engine sampled no token");
  request.keep();
  return { reason, cutText: null, progressed };
}

/** A resumed request draws other numbers than the one it goes on from. */
function seedOf(seed: number, offset: number): number {
  return offset === 0 ? seed : hash32(`${seed}|${offset}`);
}
