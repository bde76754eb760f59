import { setTimeout as sleep } from "node:timers/promises";
import { hash32 } from "@liverl/contract/random";
import { cacheSalt } from "#backends/cache-salt.ts";
import type { EngineReplicas, Replica } from "#backends/engine-replicas.ts";
import {
  EngineAway,
  EngineFull,
  EngineRefusal,
  type EngineTurn,
  type GenerateChunk,
} from "#backends/inference-backend.ts";
import type { TokenPrompt } from "#backends/token-prompt.ts";
import { EarlyEnd } from "#calls/early-end.ts";
import type { SamplingPlan } from "#calls/plan-sampling.ts";
import type { RequestTokens, SampledTokens } from "#calls/sampled-tokens.ts";
import { StopStrings } from "#calls/stop-strings.ts";
import type { AbortCause } from "#sessions/session.ts";

export interface SampleTurn {
  /** The engines as they are now: a pool may be replaced while a turn waits for one to come back. */
  engines(): EngineReplicas;
  sessionId: string;
  /** Names the call in the engine's log: each request is `<prefix><k>`. */
  requestPrefix: string;
  prompt: TokenPrompt;
  sampling: SamplingPlan;
  stop: readonly string[];
  /** Runs apart from each other in an engine's prefix cache. */
  cacheSalt: string;
  /** Where expert routing is wanted: from this token of the prompt on; null where it is not. */
  routedExpertsFrom: number | null;
  /** Starts reading the turn's text, for stop strings. */
  streamText(): { push(id: number): string };
  /**
   * Hears ids as they come, where somebody watches: they stand then, so a failing engine's are kept and another goes on
   * from them. Null: nothing is known before the turn is whole.
   */
  onTokens: ((ids: readonly number[]) => void) | null;
  preferred: string | null;
  signal: AbortSignal;
  onFailure(error: Error): void;
  patience: Patience;
  /** Gets all that was sampled so far, also when the turn is broken off. */
  sampled: SampledTokens;
}

/** What is borne of engines that fail in a way that may pass, before the turn fails with it. */
export interface Patience {
  /** No request is sent again after so long. */
  forMs: number;
  /** Requests without a token that stands, in a row. */
  failures: number;
}

/** An agent waits while a trainer restarts its engine. */
export const SESSION_PATIENCE: Patience = {
  forMs: 5 * 60_000,
  failures: Number.POSITIVE_INFINITY,
};
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** Nobody waits for single tokens unless a stop string has to be found: the answer leaves when the turn is whole. */
const TOKENS_PER_CHUNK = 32;
/** So many tokens more than were asked for are taken for an engine's way of counting; one that goes on is left. */
const MOST_OVER = 1_024;
/** An engine's version is asked again after this; an older one only widens what is said of a token's version. */
const VERSION_FRESH_MS = 250;

/** Samples one turn to its end: through aborts of the engine by resuming, through its failures by starting again. */
export async function sampleTurn(
  turn: SampleTurn,
): Promise<{ stopReason: "stop" | "length"; cutText: string | null; replica: string }> {
  const deadline = Date.now() + turn.patience.forMs;
  let failures = 0;
  let pauseMs = FIRST_PAUSE_MS;
  for (let k = 0; ; k++) {
    const end = await attempt(turn, `${turn.requestPrefix}${k}`, {
      isLast: () => Date.now() > deadline || failures + 1 >= turn.patience.failures,
    });
    if (end && end.reason !== "abort")
      return { stopReason: end.reason, cutText: end.cutText, replica: end.replica };
    // An engine that is being paused may abort again at once: do not spin.
    if (end?.progressed) {
      failures = 0;
      pauseMs = FIRST_PAUSE_MS;
      continue;
    }
    if (end === null) failures += 1;
    await sleep(pauseMs, undefined, { signal: turn.signal });
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/** One request on the replica that suits best; null where it failed in a way that may pass. */
async function attempt(
  turn: SampleTurn,
  requestId: string,
  { isLast }: { isLast: () => boolean },
): Promise<(RequestEnd & { replica: string }) | null> {
  const engines = turn.engines();
  let replica: Replica | null = null;
  try {
    replica = await engines.acquire(turn.preferred, turn.signal);
    return { ...(await requestOnce(turn, replica, requestId)), replica: replica.url };
  } catch (error) {
    const isOver = turn.signal.aborted || isLast() || error instanceof EngineFull;
    if (!(error instanceof EngineAway) || isOver) throw error;
    if (replica) replica.healthy = false;
    if (turn.onTokens) turn.sampled.keepOpen();
    turn.onFailure(error);
    return null;
  } finally {
    if (replica) engines.release(replica);
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
  const { sampled, signal } = turn;
  const budget = turn.sampling.max_tokens - sampled.length;
  if (budget <= 0) return { reason: "length", cutText: null, progressed: false };
  signal.throwIfAborted();
  const before = await replica.backend.weightVersion(VERSION_FRESH_MS);
  signal.throwIfAborted();
  const lastKnown = before ?? (await replica.backend.weightVersion(Number.POSITIVE_INFINITY));
  const promptLength = turn.prompt.length + sampled.length;
  const routedFrom = routedFromOf(turn);
  const request = sampled.begin(requestId, { version: before, promptLength, routedFrom });
  const { lost } = replica;
  const early = new EarlyEnd(replica.backend, requestId, lost.signal);
  // What a client left behind is kept with its versions; a session that is being completed waits for nothing.
  const leave = () =>
    signal.reason === ("client-gone" satisfies AbortCause) ? early.ask() : early.breakOff();
  signal.addEventListener("abort", leave, { once: true });
  try {
    const stream = replica.backend.generate(
      engineTurn(turn, { requestId, budget, version: lastKnown, routedFrom }),
      early.signal,
    );
    const end = await readStream(turn, stream, { request, early, budget });
    await learnVersion(replica, request);
    signal.throwIfAborted();
    return end.cutText === null
      ? endOf(turn, end.reason, request, budget)
      : endOfCut(end.cutText, request);
  } catch (error) {
    if (lost.signal.aborted && !signal.aborted)
      throw new EngineAway("the engine gives no sign of life", { cause: error });
    if (signal.reason === ("client-gone" satisfies AbortCause))
      await learnVersion(replica, request);
    throw error;
  } finally {
    signal.removeEventListener("abort", leave);
    early.close();
  }
}

function engineTurn(
  turn: SampleTurn,
  {
    requestId,
    budget,
    version,
    routedFrom,
  }: { requestId: string; budget: number; version: number | null; routedFrom: number | null },
): EngineTurn {
  const { sampled, sampling } = turn;
  return {
    requestId,
    sessionId: turn.sessionId,
    prompt: sampled.parts.reduce((prompt, ids) => prompt.with(ids), turn.prompt),
    sampling: {
      ...sampling,
      max_tokens: budget,
      ...(sampling.min_tokens && { min_tokens: Math.max(1, sampling.min_tokens - sampled.length) }),
      seed: seedOf(sampling.seed, sampled.length),
      logprobs: 0,
      ...(turn.stop.length === 0 && !turn.onTokens && { stream_interval: TOKENS_PER_CHUNK }),
      ...(routedFrom !== null && { routed_experts_prompt_start: routedFrom }),
    },
    cacheSalt: cacheSalt(turn.cacheSalt, version),
  };
}

/** A resumed request is asked for new rows alone: from the last token on, which the request before it had not read. */
function routedFromOf({ routedExpertsFrom, prompt, sampled }: SampleTurn): number | null {
  if (routedExpertsFrom === null) return null;
  return sampled.length === 0 ? routedExpertsFrom : prompt.length + sampled.length - 1;
}

/** An engine that gives no spans is asked again: the same version before and after is that of every token. */
async function learnVersion(replica: Replica, request: RequestTokens): Promise<void> {
  if (request.needsVersionAfter) request.endedAt(await replica.backend.weightVersion(0));
}

/** Reads to the last chunk, also past a stop string: the engine is then asked to end the request. */
async function readStream(
  turn: SampleTurn,
  stream: AsyncIterable<GenerateChunk>,
  { request, early, budget }: { request: RequestTokens; early: EarlyEnd; budget: number },
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
      if (request.received > budget + MOST_OVER)
        throw new EngineRefusal(502, `it was asked for ${budget} tokens and does not end`);
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
      turn.onTokens?.(chunk.ids);
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

function endOf(
  { sampled, sampling }: SampleTurn,
  said: string | null,
  request: RequestTokens,
  budget: number,
): RequestEnd {
  const progressed = request.length > 0;
  const reason = said ?? reasonOf(request, budget, sampling.stop_token_ids);
  if (reason === "abort") {
    if (progressed) request.keep();
    return { reason, cutText: null, progressed };
  }
  if (reason !== "stop" && reason !== "length")
    throw new EngineAway(`the engine ended with ${reason ?? "no finish reason"}`);
  if (!progressed) throw new EngineAway("the engine sampled no token");
  if (reason === "length") sampled.owed = budget - request.length;
  request.keep();
  return { reason, cutText: null, progressed };
}

/** A stream may end without a reason; the ids may give it. Else it is unknown, and never a stop. */
function reasonOf(
  { ids }: RequestTokens,
  budget: number,
  stopIds: readonly number[],
): "stop" | "length" | null {
  const last = ids.at(-1);
  if (last !== undefined && stopIds.includes(last)) return "stop";
  return ids.length >= budget ? "length" : null;
}

/** A resumed request draws other numbers than the one it goes on from. */
function seedOf(seed: number, offset: number): number {
  return offset === 0 ? seed : hash32(`${seed}|${offset}`);
}
