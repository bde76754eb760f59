import { mkdir } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { EnginePool } from "@liverl/contract/proxy-admin";
import { loadOrCreateToken } from "@liverl/durable/http-token";
import { isAlive, recoverRecord } from "@liverl/durable/process";
import type { Logger } from "pino";
import type { z } from "zod";
import type { AdminClient } from "#admin-client.ts";
import { reachable, urlOf } from "#config/advertised-host.ts";
import type { ProcessPlan } from "#config/process-plan.ts";
import { createAdminServer } from "#server/admin-server.ts";
import { closeServer, listen } from "#server/http-exchange.ts";
import type { RunningProxy } from "#start-proxy.ts";
import { FleetOperations } from "#workers/fleet-operations.ts";
import { PoolTable } from "#workers/pool-table.ts";
import {
  absorbRetired,
  enlist,
  findLeaving,
  readArchive,
  readCompleted,
  recordsDirectory,
  retire,
  workerDirectory,
} from "#workers/worker-folders.ts";
import { nameOf, WorkerProcess } from "#workers/worker-process.ts";

const POLL_MS = 25;
const LEAVING_POLL_MS = 2_000;
const FLUSH_MS = 1_000;

export interface FleetOptions {
  /** What each worker is to be; its folder, its number and its ports follow from its index. */
  plan: z.input<typeof ProcessPlan>;
  workers: number;
  adminHost: string;
  adminPort: number;
  metricsOpen: boolean;
  pools: Record<string, EnginePool>;
  /** Bundle of the proxy's program. */
  entry: string;
  logLevel: string;
  log: Logger;
}

/** The parent of several workers: serves the admin port and keeps them running. Calls of agents never pass through it. */
export class Fleet {
  readonly #options: FleetOptions;
  #operations: FleetOperations | null = null;
  #admin: Server | null = null;
  #stopped = false;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** Resolves once every worker serves. The admin port answers before, with 503. */
  async start(): Promise<RunningProxy> {
    const { plan, workers, adminHost, adminPort, metricsOpen, pools, log } = this.#options;
    const { dataDir } = plan;
    const directory = join(dataDir, "proxy");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const token = await loadOrCreateToken(join(directory, "admin.token"));
    const secret = await loadOrCreateToken(join(directory, "capability.key"));
    if (!(await isRunning(dataDir, 0))) await absorbRetired(dataDir);
    const table = await PoolTable.open(directory);
    const archive = await readArchive(dataDir);
    const operations = new FleetOperations({ serving: workers, pools: table, archive });
    this.#operations = operations;
    this.#admin = createAdminServer({ operations, log, token, metricsOpen });
    const port = await listen(this.#admin, {
      ...{ host: adminHost, port: adminPort },
      // The first worker's own admin port has the plain name.
      keptAt: join(directory, "fleet-admin-port"),
    });
    await this.#startWorkers(operations, table, { token, secret });
    if (this.#stopped)
      throw new AppError("UNAVAILABLE", { userMessage: "It was ended before it was ready." });
    for (const [poolId, pool] of Object.entries(pools)) await operations.putPool(poolId, pool);
    operations.state = "ready";
    void this.#retireLeaving(operations);
    const agentUrls = operations.workers.flatMap(({ index, agentUrl }) =>
      agentUrl !== null && index < workers ? [agentUrl] : [],
    );
    return {
      agentUrls,
      adminUrl: urlOf(reachable(adminHost), port),
      adminToken: token,
      drain: (withinMs) => this.end(withinMs),
      stop: () => this.end(0),
    };
  }

  async #startWorkers(
    operations: FleetOperations,
    table: PoolTable,
    secrets: { token: string; secret: string },
  ): Promise<void> {
    const { plan, workers, entry, logLevel, log } = this.#options;
    const { dataDir } = plan;
    const leaving = await findLeaving(dataDir, workers);
    const serving = Array.from({ length: workers }, (_, index) => index);
    const first = new Signal();
    for (const index of [...serving, ...leaving]) {
      if (this.#stopped) return;
      await enlist(dataDir, index);
      const onUp = async (client: AdminClient) => {
        if (index === 0) await table.importFrom(client);
        if (index === 0) first.give();
        await first.given;
        operations.own(index, [...(await readCompleted(dataDir, index)).keys()]);
        const open = await client.listSessions();
        const ids = open.map(({ sessionId }) => sessionId);
        operations.own(index, ids);
        await table.bringUpToDate(client, (poolId, error) =>
          log.error({ err: error, worker: index, pool: poolId }, "worker can not serve a pool"),
        );
      };
      operations.add(
        await WorkerProcess.start({
          ...{ ...secrets, index, entry, logLevel, log, onUp },
          plan: planOf(plan, index),
        }),
      );
    }
    await this.#untilUp(operations);
  }

  async #untilUp(operations: FleetOperations): Promise<void> {
    for (;;) {
      const failed = operations.workers.find(({ hasFailed }) => hasFailed);
      if (failed)
        throw new AppError("UNAVAILABLE", {
          userMessage: `Worker ${failed.index} can not start: ${failed.logPath} says why.`,
        });
      if (this.#stopped || operations.workers.every(({ isUp }) => isUp)) return;
      await sleep(POLL_MS);
    }
  }

  /** Workers beyond the wanted number end when their last session is complete. */
  async #retireLeaving(operations: FleetOperations): Promise<void> {
    const { plan, workers, log } = this.#options;
    const leaving = () => operations.workers.filter(({ index }) => index >= workers);
    while (!this.#stopped && leaving().length > 0) {
      for (const worker of leaving()) {
        const idle = await isIdle(worker);
        if (!idle || this.#stopped) continue;
        await worker.stop(FLUSH_MS);
        await retire(plan.dataDir, worker.index);
        operations.remove(worker.index, await readCompleted(plan.dataDir, worker.index));
        log.info({ worker: worker.index }, "worker has no session left and is retired");
      }
      await sleep(LEAVING_POLL_MS, undefined, { ref: false });
    }
  }

  /** Calls in flight may end within `withinMs`; 0 ends all at once. Also ends what a start that is not through has begun. */
  async end(withinMs: number): Promise<void> {
    this.#stopped = true;
    if (this.#operations) {
      this.#operations.state = "draining";
      await Promise.all(this.#operations.workers.map((worker) => worker.stop(withinMs)));
    }
    if (this.#admin?.listening) await closeServer(this.#admin, withinMs === 0 ? 0 : FLUSH_MS);
  }
}

/** Given once, awaited by many. */
class Signal {
  give: () => void = () => undefined;
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}

function planOf(plan: z.input<typeof ProcessPlan>, index: number): z.input<typeof ProcessPlan> {
  return {
    ...plan,
    directory: workerDirectory(plan.dataDir, index),
    worker: index,
    port: plan.port ? plan.port + index : 0,
    adminHost: "127.0.0.1",
    adminPort: 0,
  };
}

async function isIdle(worker: WorkerProcess): Promise<boolean> {
  if (!worker.isUp) return false;
  const open = await worker.client.listSessions().catch(() => null);
  return open?.length === 0;
}

async function isRunning(dataDir: string, index: number): Promise<boolean> {
  const record = await recoverRecord(recordsDirectory(dataDir), nameOf(index));
  return record !== null && (await isAlive(record));
}
