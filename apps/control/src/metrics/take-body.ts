import { AppError } from "@liverl/contract/app-error";
import { LOG_LIMITS } from "@liverl/contract/metric";
import type { Pool } from "pg";
import { z } from "zod";
import type { SentBody, SentSeries, TakenBody } from "#metrics/ingest.ts";
import type { IngestRecord } from "#metrics/ingest-record.ts";
import { parseBody } from "#trackers/parse-body.ts";
import { type Owned, refuseForeign, type Writer } from "#trackers/writer.ts";
import { StepAxis } from "#wandb/step-axes.ts";

/** Takes requests of the tracking protocols: reads them, finds their run and appends their points. */
export class Intake {
  readonly #pool: Pool;
  readonly #append: (record: IngestRecord) => Promise<void>;
  /** Client's name → run. What was found once stays: no run is ever given to another name. */
  readonly #runs = new Map<string, Owned & { runId: string }>();
  readonly #keys = new Map<string, Set<string>>();

  constructor(pool: Pool, append: (record: IngestRecord) => Promise<void>) {
    this.#pool = pool;
    this.#append = append;
  }

  /** Throws FORBIDDEN for a run that the writer may not touch, before anything is kept. */
  async take(sent: SentBody, writer: Writer): Promise<TakenBody> {
    const { source, key, batch, series, points, rest } = parseBody(sent, await this.#axesOf(sent));
    const run = await this.#runOf(source, key);
    if (run !== null) refuseForeign(writer, run);
    const runId = run?.runId ?? null;
    if (runId === null || series.length === 0) return { runId, points, rest, refused: null };
    const { kept, over, known } = await this.#fitting(runId, series);
    const [first] = over;
    // A program that was asked to log here is told; a trainer's own client would stop logging, or the trainer with it.
    if (first && source === "api")
      throw new AppError("BAD_REQUEST", { userMessage: tooManyKeys(first.key) });
    if (kept.length > 0) await this.#append({ kind: "sent", runId, batch, series: kept });
    for (const one of kept) known.add(one.key);
    const lost = over.reduce((sum, { step }) => sum + step.length, 0);
    return { runId, points: points - lost, rest, refused: first ? tooManyKeys(first.key) : null };
  }

  /** The step axes that a W&B client has defined for its run. */
  async #axesOf(sent: SentBody): Promise<StepAxis[]> {
    if (sent.format !== "wandb-stream") return [];
    const { rows } = await this.#pool.query<{ axes: unknown }>(
      "SELECT axes FROM tracked_run WHERE source = 'wandb' AND key = $1",
      [sent.key],
    );
    return z.array(StepAxis).catch([]).parse(rows[0]?.axes);
  }

  async #runOf(source: string, key: string): Promise<(Owned & { runId: string }) | null> {
    const name = `${source}\n${key}`;
    const known = this.#runs.get(name);
    if (known !== undefined) return known;
    const { rows } = await this.#pool.query<Owned & { runId: string }>(
      `SELECT t.run_id AS "runId", r.project, r.begun_by AS "begunBy"
       FROM tracked_run t JOIN run r ON r.id = t.run_id WHERE t.source = $1 AND t.key = $2`,
      [source, key],
    );
    const [run] = rows;
    if (run) this.#runs.set(name, run);
    return run ?? null;
  }

  /** A program that writes its step into the key would fill the database with series of one point. */
  async #fitting(
    runId: string,
    series: readonly SentSeries[],
  ): Promise<{ kept: SentSeries[]; over: SentSeries[]; known: Set<string> }> {
    let keys = this.#keys.get(runId);
    if (keys === undefined) {
      const { rows } = await this.#pool.query<{ key: string }>(
        "SELECT key FROM series WHERE run_id = $1",
        [runId],
      );
      keys = new Set(rows.map((row) => row.key));
      this.#keys.set(runId, keys);
    }
    const known = keys;
    const fresh = series.filter(({ key }) => !known.has(key));
    const over = new Set(fresh.slice(Math.max(0, LOG_LIMITS.keysOfRun - known.size)));
    return { kept: series.filter((one) => !over.has(one)), over: [...over], known };
  }
}

const tooManyKeys = (key: string) =>
  `A run has at most ${LOG_LIMITS.keysOfRun} metric keys; ${key.slice(0, 80)} would be one more.`;
