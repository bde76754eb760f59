import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedSpec } from "@liverl/contract/launch";
import { isTerminal, RunStatus } from "@liverl/contract/run";
import { findRecorded, forgetRecorded, listRecorded, stopRecorded } from "@liverl/durable/process";
import type { Context } from "#context.ts";
import type { ProcessView } from "#data-plane/process-view.ts";
import { conductRun } from "#drivers/embedded/conduct-run.ts";
import { processName, runFiles } from "#drivers/embedded/run-files.ts";
import { RunProcesses } from "#drivers/embedded/run-processes.ts";

/** A launch, a stop and an end wake it at once; this is for what nobody tells. */
const LOOK_MS = 2_000;
const TRAINER_GRACE_MS = 2_500;

/**
 * Looks at the embedded runs again and again: conducts the oldest one that has not ended, one at a time (this machine is
 * the whole cluster), and keeps the engines of the newest run up after its end, so that outside agents can use them.
 */
export class EmbeddedDriver {
  readonly #ctx: Context;
  readonly #runs = new Map<string, RunProcesses>();
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #conducted: string | null = null;
  #leftEnginesEnded = false;
  #conducting: Promise<void> = Promise.resolve();
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

  processesOf(runId: string): ProcessView[] {
    return this.#runs.get(runId)?.views() ?? [];
  }

  /** Ends supervision; every process lives on and is adopted by the next driver. */
  async release(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    for (const run of this.#runs.values()) run.releaseEngines();
    await this.#conducting.catch(() => undefined);
    await this.#looking;
  }

  /** Ends what it started: the trainer first, then the engines. A run that was under way goes on at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    const { processes } = this.#ctx.config;
    const conducted = this.#conducted;
    const trainer =
      conducted === null ? null : await findRecorded(processes, processName(conducted, "trainer"));
    await this.#conducting.catch(() => undefined);
    await this.#looking;
    if (trainer && conducted !== null) {
      await stopRecorded(trainer, { graceMs: TRAINER_GRACE_MS });
      await forgetRecorded(processes, processName(conducted, "trainer"));
    }
    await Promise.all([...this.#runs.values()].map((run) => run.stopEngines()));
  }

  async #lookAgainAndAgain(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#look();
      } catch (error) {
        this.#ctx.log.warn({ err: error }, "the embedded driver could not look at the runs");
      }
      await sleep(LOOK_MS, undefined, { signal: this.#wake.signal }).catch(() => undefined);
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
    }
  }

  async #look(): Promise<void> {
    const { db } = this.#ctx;
    if (this.#conducted === null) {
      const waiting = await db.run.findMany({
        where: { driver: "embedded", status: { in: ["queued", "booting", "running", "stopping"] } },
        select: { id: true, status: true },
        orderBy: { createdAt: "asc" },
      });
      // What is under way before what waits: after a restart a started run must not be overtaken.
      const next = waiting.find((row) => row.status !== "queued") ?? waiting[0];
      if (next) await this.#conduct(next.id);
    }
    const newest = await db.run.findFirst({
      // An imported run never had engines here: those of a run that did are not ended for it.
      where: { driver: "embedded", status: { not: "draft" }, importedAt: null },
      select: { id: true, status: true, spec: true, released: true },
      orderBy: { createdAt: "desc" },
    });
    if (!newest || this.#conducted !== null) return;
    const keep = isTerminal(RunStatus.parse(newest.status)) && !newest.released;
    await this.#keepEngines(newest.id, keep ? EmbeddedSpec.parse(newest.spec).rollout.engines : 0);
    await this.#endOtherEngines(newest.id);
  }

  async #conduct(runId: string): Promise<void> {
    // The engines of other runs give way: memory and cores are for this one.
    await this.#endOtherEngines(runId);
    await this.#retireSources();
    this.#conducted = runId;
    this.#conducting = conductRun(this.#ctx, runId, this.#processes(runId), this.#stopping.signal)
      .then(
        () => true,
        (error: unknown) => {
          // The database went away in the middle, or the run could not be moved: the next look takes it up again where
          // it stands, and is not hurried, so that what fails again and again does so slowly.
          if (!this.#stopping.signal.aborted)
            this.#ctx.log.warn({ err: error, runId }, "conducting was interrupted");
          return false;
        },
      )
      .then((ended) => {
        this.#conducted = null;
        if (ended) this.wake();
      });
  }

  /** Files of runs that ended a while ago are not looked at any more. */
  async #retireSources(): Promise<void> {
    await this.#ctx.pool.query(
      `UPDATE ingest_source s SET active = false FROM run r
       WHERE s.active AND r.id = s.run_id AND r.driver = 'embedded' AND r.ended_at < now() - interval '5 minutes'`,
    );
    this.#ctx.ingest.refresh();
  }

  async #keepEngines(runId: string, count: number): Promise<void> {
    const run = this.#runs.get(runId);
    if (count === 0) {
      if (run?.hasEngines) await run.stopEngines();
      return;
    }
    if (run?.hasEngines) return;
    const usable = await access(
      join(runFiles(this.#ctx.config.dataDir, runId).weights, "current.json"),
    ).then(
      () => true,
      () => false,
    );
    if (usable) await this.#processes(runId).startEngines(count, this.#stopping.signal);
  }

  /** Also ends engines that an earlier life of control started and that nobody wants any more. */
  async #endOtherEngines(runId: string): Promise<void> {
    for (const [id, run] of this.#runs) if (id !== runId && run.hasEngines) await run.stopEngines();
    if (this.#leftEnginesEnded) return;
    const { processes } = this.#ctx.config;
    const names = (await listRecorded(processes)).map((record) => record.name);
    for (const name of names) {
      if (!/\.engine-\d+$/.test(name) || name.startsWith(`${runId}.`)) continue;
      const record = await findRecorded(processes, name);
      if (record) await stopRecorded(record, { graceMs: TRAINER_GRACE_MS });
      await forgetRecorded(processes, name);
    }
    this.#leftEnginesEnded = true;
  }

  #processes(runId: string): RunProcesses {
    const known = this.#runs.get(runId);
    if (known) return known;
    const processes = new RunProcesses(this.#ctx, runId);
    this.#runs.set(runId, processes);
    return processes;
  }
}
