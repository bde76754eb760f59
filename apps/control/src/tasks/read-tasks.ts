import type { RolloutMode } from "@liverl/contract/rollout";
import type { TaskCells, TaskRow, TaskRows } from "@liverl/contract/task-view";
import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";

interface Cell {
  task: string;
  run_id: string;
  step: number;
  ended: number;
  known: number;
  solved: number;
  mean: number | null;
  flagged: number;
  sampled: number;
  group_id: string;
}

/** A page draws no more; a run of more tasks shows those that were tried most often. */
const MOST_TASKS = 5_000;

const CELL_ROWS =
  "FROM rollout WHERE run_id = ANY($1::text[]) AND mode = $2 AND step IS NOT NULL AND status IN ('succeeded', 'failed')";
const CELLS = `
  SELECT task_name AS task, run_id, step, count(*)::int AS ended, count(reward)::int AS known,
    count(*) FILTER (WHERE reward >= 1)::int AS solved, avg(reward)::float8 AS mean,
    count(*) FILTER (WHERE integrity_kinds <> '{}')::int AS flagged, avg(tokens_sampled)::float8 AS sampled,
    min(group_id) AS group_id
  ${CELL_ROWS}`;
const BY_CELL = "GROUP BY task_name, run_id, step ORDER BY task_name, run_id, step";

/** Every task of a run at every step that tried it. */
export async function readRunTasks(
  ctx: Pick<Context, "db" | "pool">,
  { runId, mode }: { runId: string; mode: RolloutMode },
): Promise<TaskRows> {
  await getRunRow(ctx, runId);
  const [{ rows }, tasks] = await Promise.all([
    ctx.pool.query<Cell>(`${CELLS} ${BY_CELL}`, [[runId], mode]),
    countTasks(ctx, CELL_ROWS, [[runId], mode]),
  ]);
  const named = gather(rows);
  const most = named.toSorted((a, b) => b.cells.step.length - a.cells.step.length);
  return { rows: most.slice(0, MOST_TASKS), total: named.length, tasks };
}

/** One task over the runs of a project, newest run first. */
export async function readTaskHistory(
  { db, pool }: Pick<Context, "db" | "pool">,
  { project, task, mode }: { project: string; task: string; mode: RolloutMode },
): Promise<TaskRows> {
  const runs = await db.run.findMany({
    where: { project },
    select: { id: true },
    orderBy: { createdAt: "desc" },
  });
  const ids = runs.map(({ id }) => id);
  const { rows } = await pool.query<Cell>(`${CELLS} AND task_name = $3 ${BY_CELL}`, [
    ids,
    mode,
    task,
  ]);
  const place = new Map(ids.map((id, at) => [id, at]));
  const found = gather(rows).sort((a, b) => (place.get(a.runId) ?? 0) - (place.get(b.runId) ?? 0));
  const tasks = await countTasks({ pool }, `${CELL_ROWS} AND task_name = $3`, [ids, mode, task]);
  return { rows: found, total: found.length, tasks };
}

/** Different tasks among rollouts: several may have one name. */
export async function countTasks(
  { pool }: Pick<Context, "pool">,
  from: string,
  values: unknown[],
): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `SELECT count(DISTINCT task_id)::int AS n ${from}`,
    values,
  );
  return rows[0]?.n ?? 0;
}

function gather(cells: readonly Cell[]): TaskRow[] {
  const rows: TaskRow[] = [];
  for (const cell of cells) {
    let row = rows.at(-1);
    if (row?.task !== cell.task || row.runId !== cell.run_id) {
      row = { task: cell.task, runId: cell.run_id, cells: emptyCells() };
      rows.push(row);
    }
    const { cells: columns } = row;
    columns.step.push(cell.step);
    columns.ended.push(cell.ended);
    columns.known.push(cell.known);
    columns.solved.push(cell.solved);
    columns.mean.push(cell.mean);
    columns.flagged.push(cell.flagged);
    columns.sampled.push(cell.sampled);
    columns.groupId.push(cell.group_id);
  }
  return rows;
}

function emptyCells(): TaskCells {
  return {
    ...{ step: [], ended: [], known: [], solved: [], mean: [], flagged: [], sampled: [] },
    groupId: [],
  };
}
