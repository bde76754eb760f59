import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { EnginePool } from "@liverl/contract/proxy-admin";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { z } from "zod";
import type { AdminClient } from "#admin-client.ts";

const Pools = z.record(z.string(), EnginePool);

/** The pools that every worker is to have. A worker that was away when one changed is told when it is back. */
export class PoolTable {
  readonly #path: string;
  readonly #pools: Map<string, EnginePool>;
  #writing: Promise<void> = Promise.resolve();
  /** Whether there was no table yet: then the first worker's pools, from before there were workers, are the table. */
  #isNew: boolean;

  private constructor(path: string, pools: z.infer<typeof Pools> | null) {
    this.#path = path;
    this.#pools = new Map(Object.entries(pools ?? {}));
    this.#isNew = pools === null;
  }

  static async open(directory: string): Promise<PoolTable> {
    const path = join(directory, "pools.json");
    return new PoolTable(path, await readJson(path, Pools));
  }

  async put(poolId: string, pool: EnginePool): Promise<void> {
    this.#pools.set(poolId, pool);
    await this.#write();
  }

  async delete(poolId: string): Promise<void> {
    if (!this.#pools.delete(poolId))
      throw new AppError("NOT_FOUND", {
        userMessage: `There is no pool ${poolId}: register it with PUT /pools/${poolId}.`,
      });
    await this.#write();
  }

  /** To be called with the first worker before any other is brought up to date. */
  async importFrom(client: AdminClient): Promise<void> {
    if (!this.#isNew) return;
    for (const pool of await client.listPools()) this.#pools.set(pool.id, EnginePool.parse(pool));
    await this.#write();
    this.#isNew = false;
  }

  /** Gives a worker what it lacks and takes what it should not have. `onRefusal`: a pool that it can not serve any more. */
  async bringUpToDate(
    client: AdminClient,
    onRefusal: (poolId: string, error: unknown) => void,
  ): Promise<void> {
    for (const { id } of await client.listPools())
      if (!this.#pools.has(id)) await client.deletePool(id);
    // A pool that is put meanwhile comes last in the map, so this loop reaches it.
    for (const [poolId, pool] of this.#pools) {
      try {
        await client.putPool(poolId, pool);
      } catch (error) {
        if (!(error instanceof AppError) || error.code === "UNAVAILABLE") throw error;
        onRefusal(poolId, error);
      }
    }
  }

  #write(): Promise<void> {
    const text = JSON.stringify(Object.fromEntries(this.#pools));
    this.#writing = this.#writing
      .catch(() => undefined)
      .then(() => writeFileAtomic(this.#path, text));
    return this.#writing;
  }
}
