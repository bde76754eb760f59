import { AppError } from "@liverl/contract/app-error";
import type { Context } from "#context.ts";
import { inTransaction } from "#database/in-transaction.ts";
import type { Entry } from "#mlflow/rest-shapes.ts";
import { fitTags, type TagChange } from "#runs/change-tags.ts";
import { jsonText } from "#trackers/json-text.ts";

const MOST_ENTRIES = 10_000;

/** Sets params, which never change once they are set, and tags. Several clients of one run wait for each other here. */
export async function writeEntries(
  ctx: Pick<Context, "pool" | "live">,
  key: string,
  { params, tags }: { params: readonly Entry[]; tags: readonly Entry[] },
): Promise<void> {
  if (params.length === 0 && tags.length === 0) return;
  const runId = await inTransaction(ctx.pool, async (client) => {
    const { rows } = await client.query<{
      run_id: string;
      tags: Record<string, string>;
      config: Record<string, string> | null;
    }>(
      `SELECT t.run_id, t.tags, r.config FROM tracked_run t JOIN run r ON r.id = t.run_id
       WHERE t.source = 'mlflow' AND t.key = $1 FOR UPDATE`,
      [key],
    );
    const [row] = rows;
    if (!row) throw new AppError("NOT_FOUND", { userMessage: `Run with id=${key} not found` });
    const config = withParams(row.config ?? {}, params);
    const united = { ...row.tags, ...Object.fromEntries(tags.map((tag) => [tag.key, tag.value])) };
    checkCount(united, "tags");
    await client.query("UPDATE tracked_run SET tags = $2 WHERE run_id = $1", [
      row.run_id,
      jsonText(united),
    ]);
    await client.query("UPDATE run SET config = $2 WHERE id = $1", [
      row.run_id,
      Object.keys(config).length === 0 ? null : jsonText(config),
    ]);
    await fitTags(client, row.run_id, labelChange(row.tags, united));
    return row.run_id;
  });
  ctx.live.emit("run", runId);
}

export async function deleteTag(
  ctx: Pick<Context, "pool" | "live">,
  key: string,
  tag: string,
): Promise<void> {
  const { rows } = await ctx.pool.query<{
    run_id: string;
    old: Record<string, string>;
    tags: Record<string, string>;
  }>(
    `UPDATE tracked_run SET tags = tracked_run.tags - $2::text
     FROM (SELECT run_id AS of, tags FROM tracked_run WHERE source = 'mlflow' AND key = $1 AND tags ? $2::text FOR UPDATE) AS known
     WHERE run_id = of RETURNING run_id, known.tags AS old, tracked_run.tags`,
    [key, tag],
  );
  const [row] = rows;
  if (!row)
    throw new AppError("NOT_FOUND", {
      userMessage: `No tag with name: ${tag} in run with id ${key}`,
    });
  await fitTags(ctx.pool, row.run_id, labelChange(row.old, row.tags));
  ctx.live.emit("run", row.run_id);
}

function withParams(
  known: Record<string, string>,
  params: readonly Entry[],
): Record<string, string> {
  const config = { ...known };
  for (const { key, value } of params) {
    const old = Object.hasOwn(config, key) ? config[key] : undefined;
    if (old !== undefined && old !== value)
      throw new AppError("BAD_REQUEST", {
        userMessage: `Changing param values is not allowed. Param with key='${key}' was already logged with value='${old}'. Attempted logging new value '${value}'.`,
      });
    config[key] = value;
  }
  checkCount(config, "params");
  return config;
}

function checkCount(entries: object, what: string): void {
  if (Object.keys(entries).length > MOST_ENTRIES)
    throw new AppError("BAD_REQUEST", {
      userMessage: `A run has at most ${MOST_ENTRIES} ${what}.`,
    });
}

/** What became of a client's labels: people's tags of the run, and those that they took away, stay as they are. */
function labelChange(old: Record<string, string>, next: Record<string, string>): TagChange {
  const [before, after] = [labelsOf(old), labelsOf(next)];
  return {
    add: after.filter((label) => !before.includes(label)),
    remove: before.filter((label) => !after.includes(label)),
  };
}

const MOST_LABELS = 100;
const MOST_LABEL_LENGTH = 200;

/** Tags as the UI shows them. Those of MLflow itself say who runs what, and are kept for its own clients. */
export function labelsOf(tags: Record<string, string>): string[] {
  return Object.entries(tags)
    .filter(([key]) => !key.startsWith("mlflow."))
    .slice(0, MOST_LABELS)
    .map(([key, value]) => (value === "" ? key : `${key}=${value}`).slice(0, MOST_LABEL_LENGTH));
}
