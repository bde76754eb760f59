import { setTimeout as sleep } from "node:timers/promises";
import { VERL_DRIVERS } from "@liverl/contract/run";
import { findRecorded } from "@liverl/durable/process";
import type { Context } from "#context.ts";
import type { ProcessView } from "#data-plane/process-view.ts";
import { processName } from "#drivers/embedded/run-files.ts";
import { conductVerlRun, INTERRUPTED } from "#drivers/verl/conduct-verl-run.ts";
import { stopFamily, workingPid } from "#drivers/verl/process-family.ts";

/** A launch, a stop and an end wake it at once; this is for what nobody tells. */
const LOOK_MS = 2_000;
const STOP_GRACE_MS = 10_000;

/**
 * Looks at the verl runs again and again and conducts those that have not ended: of this machine one at a time, of
 * clusters all of them, which queue by themselves. Jobs outlive control: its next life finds them.
 */
export class VerlDriver {
  readonly #ctx: Context;
  readonly #stopping = new AbortController();
  readonly #conducted = new Map<string, Promise<void>>();
  #wake = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  start(): void {
    this.#looking = this.#lookAgainAndAgain();
  }

  wake(): void {
    this.#wake.abort();
  }

  /** The process that watches verl on this machine; none where the job runs elsewhere. */
  async processesOf(runId: string): Promise<ProcessView[]> {
    const record = await findRecorded(this.#ctx.config.processes, processName(runId, "verl"));
    if (!record) return [];
    const pid = await workingPid(record);
    return [
      {
        name: "verl",
        pid,
        status: pid === null ? "exited" : "up",
        restarts: 0,
        since: record.startedAt,
      },
    ];
  }

  /** Ends supervision; every job lives on and is found by the next driver. */
  async release(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#looking;
    await Promise.all(this.#conducted.values());
  }

  /** Ends what runs on this machine: it goes on from its newest checkpoint at the next start. Jobs of clusters live on. */
  async stop(): Promise<void> {
    await this.release();
    const { db, config } = this.#ctx;
    const local = await db.run.findMany({
      where: { driver: "local-verl", status: { in: ["booting", "running", "stopping"] } },
      select: { id: true },
    });
    for (const { id } of local) {
      const record = await findRecorded(config.processes, processName(id, "verl"));
      if (!record || (await workingPid(record)) === null) continue;
      await db.run.update({ where: { id }, data: { stopMode: INTERRUPTED } });
      await stopFamily(record, STOP_GRACE_MS);
    }
  }

  async #lookAgainAndAgain(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#look();
      } catch (error) {
        this.#ctx.log.warn({ err: error }, "the verl driver could not look at the runs");
      }
      await sleep(LOOK_MS, undefined, { signal: this.#wake.signal }).catch(() => undefined);
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
    }
  }

  async #look(): Promise<void> {
    const waiting = await this.#ctx.db.run.findMany({
      where: {
        driver: { in: [...VERL_DRIVERS] },
        status: { in: ["queued", "booting", "running", "stopping"] },
      },
      select: { id: true, status: true, driver: true },
      orderBy: { createdAt: "asc" },
    });
    // What is under way before what waits: after a restart a started run must not be overtaken.
    const underWayFirst = waiting.sort(
      (a, b) => Number(a.status === "queued") - Number(b.status === "queued"),
    );
    let isLocalTaken = false;
    for (const { id, driver } of underWayFirst) {
      const isLocal = driver === "local-verl";
      if (isLocal && isLocalTaken) continue;
      isLocalTaken ||= isLocal;
      if (!this.#conducted.has(id)) this.#conduct(id);
    }
  }

  #conduct(runId: string): void {
    const conducting = conductVerlRun(this.#ctx, runId, this.#stopping.signal)
      .catch((error: unknown) => {
        // The database went away, or the run could not be moved: the next look takes it up again where it stands.
        if (!this.#stopping.signal.aborted)
          this.#ctx.log.warn({ err: error, runId }, "conducting was interrupted");
      })
      .finally(() => {
        this.#conducted.delete(runId);
      });
    this.#conducted.set(runId, conducting);
  }
}
