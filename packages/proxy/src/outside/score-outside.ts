import type { ScoredOutside, ScoreOutside } from "@liverl/contract/engine-question";
import type { PoolRegistry } from "#backends/pool-registry.ts";
import { TokenPrompt } from "#backends/token-prompt.ts";
import { askEngines } from "#outside/ask-engines.ts";

/** What an engine gives for tokens that are there already, in no session. */
export async function scoreOutside(
  pools: PoolRegistry,
  { engine, name, promptIds, from, temperature }: ScoreOutside,
  signal: AbortSignal,
): Promise<ScoredOutside> {
  return askEngines(pools, engine, async (engines) => {
    const replica = await engines.acquire(null, signal);
    try {
      const { backend } = replica;
      const before = await backend.weightVersion(0);
      const asked = { requestId: name, temperature };
      const scored = await backend.scorePrompt(new TokenPrompt([promptIds]), asked, signal);
      const after = await backend.weightVersion(0);
      return { logprobs: scored.slice(from), version: before === after ? after : null };
    } finally {
      engines.release(replica);
    }
  });
}
