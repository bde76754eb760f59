import { AppError } from "@liverl/contract/app-error";
import { LOG_LIMITS } from "@liverl/contract/metric";
import type { Pool } from "pg";
import type { SentBody, SentSeries, TakenBody } from "#metrics/ingest.ts";
import type { IngestRecord } from "#metrics/ingest-record.ts";
import { parseBody } from "#trackers/parse-body.ts";

/** Takes requests of the tracking protocols: reads them, finds their run and appends their points. */
export class Intake {
  readonly #pool: Pool;
  readonly #append: (record: IngestRecord) => Promise<void>;
  /** Client's name → run. What was found once stays: no run is ever given to another name. */
  readonly #runs = new Map<string, string>();
  readonly #keys = new Map<string, Set<string>>();

  constructor(pool: Pool, append: (record: IngestRecord) => Promise<void>) {
    this.#pool = pool;
    this.#append = append;
  }

  async take(sent: SentBody): Promise<TakenBody> {
    const { source, key, batch, series, points, rest } = parseBody(sent);
    const runId = await this.#runOf(source, key);
    if (runId !== null && series.length > 0) {
      await this.#checkKeys(runId, series);
      await this.#append({ kind: "sent", runId, batch, series });
    }
    return { runId, points, rest };
  }

  async #runOf(source: string, key: string): Promise<string | null> {
    const name = `${source}\n${key}`;
    const known = this.#runs.get(name);
    if (known !== undefined) return known;
    const { rows } = await this.#pool.query<{ run_id: string }>(
      "SELECT run_id FROM tracked_run WHERE source = $1 AND key = $2",
      [source, key],
    );
    const runId = rows[0]?.run_id ?? null;
    if (runId !== null) this.#runs.set(name, runId);
    return runId;
  }

  /** A program that writes its step into the key would fill the database with series of one point. */
  async #checkKeys(runId: string, series: readonly SentSeries[]): Promise<void> {
    let keys = this.#keys.get(runId);
    if (keys === undefined) {
      const { rows } = await this.#pool.query<{ key: string }>(
        "SELECT key FROM series WHERE run_id = $1",
        [runId],
      );
      keys = new Set(rows.map((row) => row.key));
      this.#keys.set(runId, keys);
    }
    const fresh = series.flatMap(({ key }) => (keys.has(key) ? [] : [key]));
    if (keys.size + fresh.length > LOG_LIMITS.keysOfRun)
      throw new AppError("BAD_REQUEST", {
        userMessage: `A run has at most ${LOG_LIMITS.keysOfRun} metric keys; ${fresh[0]?.slice(0, 80)} would be one more.`,
      });
    for (const key of fresh) keys.add(key);
  }
}
