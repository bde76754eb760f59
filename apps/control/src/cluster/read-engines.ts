import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EngineView } from "@liverl/contract/cluster";
import { z } from "zod";
import { getText } from "#cluster/get-text.ts";
import { parseExposition, type Sample, vllmName } from "#cluster/parse-exposition.ts";

const Pools = z.object({
  pools: z.array(
    z.object({
      id: z.string(),
      modelName: z.string(),
      engineKeyPath: z.string().nullable(),
      replicas: z.array(
        z.object({
          url: z.string(),
          inFlight: z.number(),
          capacity: z.number().nullable(),
          healthy: z.boolean(),
          draining: z.boolean(),
          weightVersion: z.number().nullable(),
        }),
      ),
    }),
  ),
});
type Pool = z.infer<typeof Pools>["pools"][number];
type Replica = Pool["replicas"][number];

interface Counted {
  tokens: number;
  atMs: number;
}

/** Keeps the counters of the look before: rates need two. */
export class EngineReader {
  readonly #dataDir: string;
  readonly #counted = new Map<string, Counted>();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  async read(): Promise<EngineView[]> {
    const proxy = join(this.#dataDir, "proxy");
    const [port, token] = await Promise.all([
      readFile(join(proxy, "admin-port"), "utf8"),
      readFile(join(proxy, "admin.token"), "utf8"),
    ]).catch(() => {
      throw new Error("the proxy is not up");
    });
    const text = await getText(`http://127.0.0.1:${port.trim()}/pools`, token.trim()).catch(() => {
      throw new Error("the proxy does not answer");
    });
    const { pools } = Pools.parse(JSON.parse(text));
    const views = pools.flatMap((pool) =>
      pool.replicas.map((replica) => this.#view(pool, replica)),
    );
    return Promise.all(views);
  }

  async #view(pool: Pool, replica: Replica): Promise<EngineView> {
    const own = replica.url.startsWith("http") ? await askEngine(replica.url, pool) : null;
    const { url, inFlight, capacity } = replica;
    const weightVersion = own?.weightVersion ?? replica.weightVersion;
    return {
      ...{ poolId: pool.id, modelName: pool.modelName, url, inFlight, capacity, weightVersion },
      state: replica.draining ? "draining" : replica.healthy ? "up" : "away",
      ...this.#figures(`${pool.id} ${url}`, own?.samples ?? []),
    };
  }

  #figures(key: string, samples: readonly Sample[]) {
    const sum = (name: string): number | null => {
      const found = samples.filter((sample) => vllmName(sample.name) === name);
      return found.length === 0 ? null : found.reduce((total, { value }) => total + value, 0);
    };
    const caches = samples.filter((sample) => vllmName(sample.name) === "kv_cache_usage_perc");
    const queries = sum("prefix_cache_queries");
    const hits = sum("prefix_cache_hits");
    return {
      running: sum("num_requests_running"),
      waiting: sum("num_requests_waiting"),
      // Data-parallel ranks each have a cache: the fullest one is what holds requests up.
      kvUse: caches.length === 0 ? null : Math.max(...caches.map(({ value }) => value)),
      prefixHitRate: queries && hits !== null ? hits / queries : null,
      tokensPerS: this.#rate(key, sum("generation_tokens")),
      preemptions: sum("num_preemptions"),
    };
  }

  #rate(key: string, tokens: number | null): number | null {
    const before = this.#counted.get(key);
    if (tokens === null) return null;
    const atMs = performance.now();
    this.#counted.set(key, { tokens, atMs });
    // Fewer than before: it was started anew.
    if (!before || tokens < before.tokens) return null;
    return ((tokens - before.tokens) * 1000) / (atMs - before.atMs);
  }
}

/** What it tells of itself; where it is away, or tells nothing, the proxy's own view of it is still shown. */
async function askEngine(
  url: string,
  { engineKeyPath }: Pool,
): Promise<{ samples: Sample[]; weightVersion: number | null }> {
  const key =
    engineKeyPath === null ? null : await readFile(engineKeyPath, "utf8").catch(() => null);
  const ask = (path: string) => getText(new URL(path, url).href, key?.trim() ?? null);
  const [metrics, weights] = await Promise.all([
    ask("/metrics").catch(() => ""),
    // vLLM serves it in development mode alone.
    ask("/weight_info").catch(() => "{}"),
  ]);
  return { samples: parseExposition(metrics), weightVersion: versionIn(weights) };
}

function versionIn(text: string): number | null {
  const told = /"weight_version"\s*:\s*"?(\d+)"?/.exec(text)?.[1];
  return told === undefined ? null : Number(told);
}
