import { EngineRefusal, type InferenceBackend } from "#backends/inference-backend.ts";
import type { TokenPrompt } from "#backends/token-prompt.ts";
import { env } from "#env.ts";

export interface RecomputedLogprobs {
  /** Nats, one for each prompt token from `from` on; null where the engine gave none. */
  logprobs: (number | null)[];
  /** The version that scored them; null where it changed meanwhile or the engine does not tell. */
  version: number | null;
}

/**
 * Log-probs for tokens that stand in a prompt and that no engine sampled here: a foreign assistant turn, a text-only
 * engine's answer. Null where the switch is off (`LIVERL_RECOMPUTE_LOGPROBS=0`) or the engine can not score: such
 * tokens keep mask 0. Throws {@link EngineAway}.
 */
export async function recomputeLogprobs(
  backend: InferenceBackend,
  {
    prompt,
    from,
    requestId,
    temperature,
    signal,
  }: {
    prompt: TokenPrompt;
    /** Position of the first token to score. */
    from: number;
    requestId: string;
    /** The one that the run samples at: engines that report processed log-probs scale by it. */
    temperature: number;
    signal: AbortSignal;
  },
): Promise<RecomputedLogprobs | null> {
  if (!env.RECOMPUTE_LOGPROBS) return null;
  try {
    const before = await backend.weightVersion(0);
    const scored = await backend.scorePrompt(prompt, { requestId, temperature }, signal);
    const after = await backend.weightVersion(0);
    return { logprobs: scored.slice(from), version: before === after ? after : null };
  } catch (error) {
    if (error instanceof EngineRefusal) return null;
    throw error;
  }
}
