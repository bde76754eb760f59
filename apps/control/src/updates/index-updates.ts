import { readdir } from "node:fs/promises";
import { UpdateRecord } from "@liverl/contract/trainer";
import { isMissing } from "@liverl/durable/atomic-file";
import type { PoolClient } from "pg";
import type { Context } from "#context.ts";
import { inTransaction } from "#database/in-transaction.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { type FilePlace, tailFile } from "#metrics/tail-file.ts";
import { completeStepBefore, computeGroupSeries } from "#rollouts/compute-group-series.ts";
import { ASKS_AHEAD } from "#updates/asks-ahead.ts";
import { lockTakes } from "#updates/lock-takes.ts";

export type UpdatesContext = Pick<Context, "pool" | "live" | "ingest" | "log" | "config">;

/** Takes in what the trainer's lives wrote of their updates since the last look, in the order of the lives; of one alone where it is named. */
export async function indexUpdates(
  ctx: UpdatesContext,
  runId: string,
  only?: number,
): Promise<void> {
  const files = runFiles(ctx.config.dataDir, runId);
  const touched = new Set<number>();
  for (const attempt of only === undefined ? await listAttempts(files.directory) : [only])
    for (let more = true; more; ) {
      const read = await readOn(ctx, { runId, attempt, path: files.updates(attempt) });
      for (const step of read.steps) touched.add(step);
      more = read.more;
    }
  for (const step of [...touched].sort((a, b) => a - b)) {
    await computeGroupSeries(ctx, runId, step);
    await completeStepBefore(ctx, runId, step);
  }
  if (touched.size > 0) ctx.live.emit("run", runId);
}

async function listAttempts(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names
    .flatMap((name) => /^updates-(\d+)\.jsonl$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

interface Life {
  runId: string;
  attempt: number;
  path: string;
}

/** What was read and how far is one transaction: a kill in between reads it again. */
async function readOn(
  { pool, log }: UpdatesContext,
  life: Life,
): Promise<{ steps: number[]; more: boolean }> {
  const { runId, attempt, path } = life;
  const nothing = { steps: [], more: false };
  // Most looks find nothing new: they keep nobody waiting.
  if (!(await tailFile(path, await placeOf(pool, life)))) return nothing;
  return inTransaction(pool, async (client) => {
    await lockTakes(client);
    const read = await tailFile(path, await placeOf(client, life));
    if (!read) return nothing;
    const records = read.lines.flatMap(({ text }): UpdateRecord[] => {
      const record = parse(text);
      if (record) return [record];
      log.warn({ runId, path }, "a record of an update can not be read");
      return [];
    });
    await take(client, runId, attempt, records);
    const { position, generation, tail } = read.place;
    await client.query(PLACE, [runId, attempt, position, generation, tail]);
    return { steps: records.map(({ step }) => step), more: read.more };
  });
}

async function placeOf(
  client: Pick<PoolClient, "query">,
  { runId, attempt }: Life,
): Promise<FilePlace> {
  const { rows } = await client.query<Omit<FilePlace, "position"> & { position: string }>(
    "SELECT position, generation, tail FROM update_file WHERE run_id = $1 AND attempt = $2",
    [runId, attempt],
  );
  const [kept] = rows;
  return kept
    ? { ...kept, position: Number(kept.position) }
    : { position: 0, generation: 0, tail: "" };
}

function parse(text: string): UpdateRecord | null {
  try {
    return UpdateRecord.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

async function take(
  client: PoolClient,
  runId: string,
  attempt: number,
  records: readonly UpdateRecord[],
): Promise<void> {
  const taken = records.flatMap(({ groups, step, update, version }) =>
    groups.flat().map((rollout_id) => ({ rollout_id, step, update, version })),
  );
  if (taken.length === 0) return;
  // Until the first record of a run nothing tells apart what trained.
  await client.query(UNPLACE, [runId]);
  const from = Math.min(...taken.map(({ step }) => step));
  const lost = await client.query<{ rollout_id: string }>(LOSE, [runId, attempt, from]);
  await client.query(TAKE, [runId, attempt, JSON.stringify(taken)]);
  await client.query(PLACE_ROLLOUTS, [
    runId,
    [...lost.rows, ...taken].map(({ rollout_id }) => rollout_id),
  ]);
}

const PLACE = `
  INSERT INTO update_file (run_id, attempt, position, generation, tail) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (run_id, attempt) DO UPDATE SET position = EXCLUDED.position, generation = EXCLUDED.generation, tail = EXCLUDED.tail`;

/** Of a run that was indexed before its updates were: its rollouts stand in the steps that asked. */
const UNPLACE = `
  UPDATE rollout SET step = NULL FROM run
  WHERE run.id = $1 AND run_id = $1 AND mode = 'train' AND step IS NOT NULL AND ${ASKS_AHEAD}
    AND NOT EXISTS (SELECT 1 FROM taken_rollout WHERE taken_rollout.run_id = $1)`;

/** A life begins at a checkpoint: what an earlier one trained from there on is in no weights that are still there. */
const LOSE = `
  UPDATE taken_rollout SET lost = true WHERE run_id = $1 AND attempt < $2 AND step >= $3 AND NOT lost RETURNING rollout_id`;

const TAKE = `
  INSERT INTO taken_rollout (rollout_id, run_id, attempt, step, update, version)
  SELECT DISTINCT ON (rollout_id) rollout_id, $1, $2, step, update, version
  FROM jsonb_to_recordset($3::jsonb) AS taken(rollout_id text, step int, update int, version int) ORDER BY rollout_id, step DESC
  ON CONFLICT (rollout_id) DO UPDATE SET attempt = EXCLUDED.attempt, step = EXCLUDED.step, update = EXCLUDED.update,
    version = EXCLUDED.version, lost = false
  WHERE taken_rollout.run_id = EXCLUDED.run_id AND taken_rollout.attempt <= EXCLUDED.attempt`;

const PLACE_ROLLOUTS = `
  UPDATE rollout SET step = CASE WHEN taken.lost THEN NULL ELSE taken.step END
  FROM taken_rollout AS taken JOIN run ON run.id = taken.run_id
  WHERE taken.run_id = $1 AND taken.rollout_id = ANY($2::text[]) AND rollout.rollout_id = taken.rollout_id
    AND rollout.run_id = $1 AND rollout.mode = 'train' AND ${ASKS_AHEAD}`;
