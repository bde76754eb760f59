import type { SampledOutside, SampleOutside } from "@liverl/contract/engine-question";
import type { PoolRegistry } from "#backends/pool-registry.ts";
import { TokenPrompt } from "#backends/token-prompt.ts";
import { type Patience, sampleTurn } from "#calls/sample-turn.ts";
import { SampledTokens } from "#calls/sampled-tokens.ts";
import { askEngines } from "#outside/ask-engines.ts";

/** Somebody looks on: an engine that fails is told of at once, but for a weight sync or a restart that broke in. */
const PATIENCE: Patience = { forMs: 20_000, failures: 4 };

/** One completion of exactly these ids, as a session's turn is sampled, but in no session: nothing of it is recorded. */
export async function sampleOutside(
  pools: PoolRegistry,
  { engine, name, cacheSalt, promptIds, sampling }: SampleOutside,
  signal: AbortSignal,
): Promise<SampledOutside> {
  return askEngines(pools, engine, async (engines) => {
    const sampled = new SampledTokens();
    const { stopReason } = await sampleTurn({
      ...{ engines: () => engines, sessionId: name, requestPrefix: `${name}-` },
      ...{ prompt: new TokenPrompt([promptIds]), sampling, stop: [], cacheSalt },
      ...{ routedExpertsFrom: null, onTokens: null, preferred: null, signal, sampled },
      patience: PATIENCE,
      streamText: () => ({ push: () => "" }),
      onFailure: () => undefined,
    });
    return {
      tokenIds: sampled.ids,
      logprobs: sampled.logprobs,
      policyVersions: sampled.versions,
      stopReason,
      requestIds: sampled.requestIds,
      flaw: sampled.flaw,
    };
  });
}
