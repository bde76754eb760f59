import { setTimeout as sleep } from "node:timers/promises";
import { hash32 } from "@liverl/contract/random";
import type { EngineReplicas, Replica } from "#backends/engine-replicas.ts";
import { EngineAway } from "#backends/inference-backend.ts";
import type { SamplingPlan } from "#calls/plan-sampling.ts";
import type { SampledTokens } from "#calls/sampled-tokens.ts";
import { StopStrings } from "#calls/stop-strings.ts";

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
  const broken = new AbortController();
  const request = sampled.begin(requestId);
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
        },
        stream: true,
        return_token_ids: true,
        cache_salt: turn.cacheSalt,
      },
      AbortSignal.any([turn.signal, broken.signal]),
    );
    const text = turn.streamText();
    const stops = new StopStrings(turn.stop);
    for (const id of turn.stop.length > 0 ? sampled.ids : []) stops.push(text.push(id));
    let reason: string | null = null;
    for await (const chunk of stream) {
      const cutText =
        turn.stop.length > 0 ? request.pushUntilStop(chunk, text, stops) : request.push(chunk);
      if (cutText !== null) {
        request.keep();
        broken.abort();
        return { reason: "stop", cutText, progressed: true };
      }
      reason = chunk.finishReason ?? reason;
    }
    return endOf(reason, request);
  } finally {
    replica.inFlight -= 1;
  }
}

function endOf(reason: string | null, request: ReturnType<SampledTokens["begin"]>): RequestEnd {
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
