import type { OpenSession } from "@liverl/contract/proxy-admin";
import { hash32 } from "@liverl/contract/random";
import { SamplingOptions } from "@liverl/contract/rollout";
import type { ModelRequest } from "#dialects/dialect.ts";

/** What the engine is told; kept in the call's record. */
export interface SamplingPlan extends SamplingOptions {
  max_tokens: number;
  temperature: number;
  top_p: number;
  seed: number;
  stop_token_ids: number[];
}

const DEFAULT_MAX_TOKENS = 1024;

/**
 * The session's parameters win over the client's; without them the client chooses. `max_tokens` never
 * reaches past the context window. The seed is a hash of run, rollout, attempt and call, so that a call
 * sampled again after a crash draws the same numbers.
 */
export function planSampling(
  session: OpenSession,
  request: ModelRequest,
  {
    callId,
    promptTokens,
    window,
    stopIds,
  }: { callId: number; promptTokens: number; window: number; stopIds: readonly number[] },
): SamplingPlan {
  const own = session.sampling;
  const wanted = own?.max_tokens ?? request.maxTokens ?? DEFAULT_MAX_TOKENS;
  const givenSeed = own ? own.seed : request.seed;
  const identity = [
    session.runId,
    session.rolloutId ?? session.sessionId,
    session.attempt,
    callId,
    givenSeed ?? "",
  ];
  return {
    max_tokens: Math.max(0, Math.min(wanted, window - promptTokens)),
    temperature: own?.temperature ?? request.temperature ?? 1,
    top_p: own?.top_p ?? (own ? 1 : (request.topP ?? 1)),
    seed: own || request.seed === null ? hash32(identity.join("|")) : request.seed,
    stop_token_ids: [...stopIds],
    ...(own && SamplingOptions.parse(own)),
  };
}
