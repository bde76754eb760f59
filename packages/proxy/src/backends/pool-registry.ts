import { isDeepStrictEqual } from "node:util";
import { AppError } from "@liverl/contract/app-error";
import type { EnginePool, PoolEngine } from "@liverl/contract/proxy-admin";
import type { EngineReach } from "#backends/engine-http.ts";
import { EngineReplicas } from "#backends/engine-replicas.ts";
import type { InferenceBackend } from "#backends/inference-backend.ts";
import { SglangApi } from "#backends/sglang-api.ts";
import { TokenApi } from "#backends/token-api.ts";
import { loadRenderer } from "#renderer/load-renderer.ts";
import type { Renderer } from "#renderer/renderer.ts";

export interface ServingPool {
  config: EnginePool;
  engines: EngineReplicas;
  renderer(): Promise<Renderer>;
}

/** Pools by id. Renderers are shared by model folder and its options, loaded when first needed, and dropped with their last pool. */
export class PoolRegistry {
  readonly #pools = new Map<string, ServingPool>();
  readonly #renderers = new Map<string, Promise<Renderer>>();

  get(poolId: string): ServingPool {
    const pool = this.#pools.get(poolId);
    if (!pool)
      throw new AppError("NOT_FOUND", {
        userMessage: `There is no pool ${poolId}: register it with PUT /pools/${poolId}.`,
      });
    return pool;
  }

  list(): { id: string; config: EnginePool }[] {
    return [...this.#pools].map(([id, { config }]) => ({ id, config }));
  }

  has(poolId: string, config: EnginePool): boolean {
    return isDeepStrictEqual(this.#pools.get(poolId)?.config, config);
  }

  /** Replaces the pool. Engines that stay keep their requests; those that went take nothing new and end what they have. */
  set(poolId: string, config: EnginePool): void {
    if (this.has(poolId, config)) return;
    const old = this.#pools.get(poolId);
    const engines = this.#enginesOf(config, old);
    this.#pools.set(poolId, {
      config,
      engines,
      renderer: () => this.loadRenderer(config),
    });
    if (old && old.engines !== engines) old.engines.close();
    this.#dropRenderers();
  }

  #enginesOf(config: EnginePool, old: ServingPool | undefined): EngineReplicas {
    if (!old || !speaksAlike(old.config, config))
      return new EngineReplicas(config.engines, (engine) =>
        connectEngine(engine, { keyPath: config.engineKeyPath }),
      );
    old.engines.follow(config.engines);
    return old.engines;
  }

  /** The engines of a pool that takes workers; null where there is none. */
  relayEngines(poolId: string): EngineReplicas | null {
    const pool = this.#pools.get(poolId);
    return pool?.config.relay ? pool.engines : null;
  }

  delete(poolId: string): void {
    this.#pools.get(poolId)?.engines.close();
    this.#pools.delete(poolId);
    this.#dropRenderers();
  }

  /** A load that failed is tried again by the next who asks. */
  loadRenderer(config: EnginePool): Promise<Renderer> {
    const key = rendererKey(config);
    const held = this.#renderers.get(key);
    if (held) return held;
    const loading = loadRenderer(config.modelDir, config);
    this.#renderers.set(key, loading);
    loading.catch(() => this.#renderers.delete(key));
    return loading;
  }

  #dropRenderers(): void {
    const used = new Set([...this.#pools.values()].map(({ config }) => rendererKey(config)));
    for (const key of this.#renderers.keys()) if (!used.has(key)) this.#renderers.delete(key);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.engines.destroy()));
  }
}

export function connectEngine({ url, api }: PoolEngine, reach: EngineReach): InferenceBackend {
  return api === "sglang" ? new SglangApi(url, reach) : new TokenApi(url, reach);
}

/** Pools that render alike share a renderer. */
function rendererKey(config: EnginePool): string {
  const { modelDir, family, thinkingRetention, textMode, templateValues } = config;
  return JSON.stringify([modelDir, family, thinkingRetention, textMode, templateValues]);
}

/** Whether engines that both configurations name are spoken to in the same way. */
function speaksAlike(old: EnginePool, config: EnginePool): boolean {
  const apiOf = (pool: EnginePool, url: string) =>
    pool.engines.find((engine) => engine.url === url)?.api;
  const kept = config.engines.filter(({ url }) => old.engines.some((engine) => engine.url === url));
  return (
    old.engineKeyPath === config.engineKeyPath &&
    kept.every(({ url, api }) => apiOf(old, url) === api)
  );
}
