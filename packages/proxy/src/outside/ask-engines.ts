import { AppError } from "@liverl/contract/app-error";
import type { AskedEngine } from "@liverl/contract/engine-question";
import { EngineReplicas } from "#backends/engine-replicas.ts";
import { EngineAway, EngineRefusal } from "#backends/inference-backend.ts";
import { connectEngine, type PoolRegistry } from "#backends/pool-registry.ts";

/**
 * Lets `ask` use the engines of a pool, or one engine that no pool has, which is let go afterwards. Throws BAD_REQUEST with
 * the engine's own words where it says no, UNAVAILABLE at once where none answers, NOT_FOUND where there is no such pool.
 */
export async function askEngines<Answer>(
  pools: PoolRegistry,
  engine: AskedEngine,
  ask: (engines: EngineReplicas) => Promise<Answer>,
): Promise<Answer> {
  const own = "url" in engine ? alone(engine) : null;
  const engines = own ?? pools.get("poolId" in engine ? engine.poolId : "").engines;
  try {
    await demandHealthy(engines, engine);
    return await ask(engines);
  } catch (error) {
    throw asAppError(error);
  } finally {
    await own?.destroy();
  }
}

function alone({
  url,
  api,
  keyPath,
  address,
}: Extract<AskedEngine, { url: string }>): EngineReplicas {
  return new EngineReplicas([{ url, ...(api && { api }) }], (one) =>
    connectEngine(one, { keyPath, address }),
  );
}

/** A call of a session waits minutes for an engine that restarts; who asks here wants to know at once. */
async function demandHealthy({ replicas }: EngineReplicas, asked: AskedEngine): Promise<void> {
  const healthy = await Promise.all(replicas.map(({ backend }) => backend.isHealthy()));
  if (healthy.includes(true)) return;
  const where = "url" in asked ? `at ${asked.url}` : `of the pool ${asked.poolId}`;
  throw new AppError("UNAVAILABLE", {
    userMessage: `No engine ${where} answers: start it, or choose another one.`,
  });
}

function asAppError(error: unknown): unknown {
  if (error instanceof EngineRefusal)
    return new AppError("BAD_REQUEST", {
      userMessage: `The engine refused: ${error.message.slice(0, 500)}`,
      cause: error,
    });
  if (error instanceof EngineAway)
    return new AppError("UNAVAILABLE", {
      userMessage: `The engine went away: ${error.message.slice(0, 500)}`,
      cause: error,
    });
  return error;
}
