import type { SampledOutside, SampleOutside } from "@liverl/contract/engine-question";
import type { PoolRegistry } from "#backends/pool-registry.ts";
import { TokenPrompt } from "#backends/token-prompt.ts";
import { sampleTurn } from "#calls/sample-turn.ts";
import { SampledTokens } from "#calls/sampled-tokens.ts";
import { askEngines } from "#outside/ask-engines.ts";

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
