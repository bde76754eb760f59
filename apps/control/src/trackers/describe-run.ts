import type { PoolClient } from "pg";
import type { Context } from "#context.ts";
import { inTransaction } from "#database/in-transaction.ts";
import { fitTags } from "#runs/change-tags.ts";
import { configText } from "#trackers/config-text.ts";
import { jsonText, storableText } from "#trackers/json-text.ts";

const MOST_LABELS = 100;
const MOST_LABEL_LENGTH = 200;

/** Keeps what a trainer says of its run; what it does not say stays as it is, and so do the tags that people gave it. */
export async function describeRun(
  ctx: Pick<Context, "pool" | "live">,
  runId: string,
  { config, labels }: { config?: object | undefined; labels?: readonly string[] | undefined },
): Promise<void> {
  if (config === undefined && labels === undefined) return;
  const text = config === undefined ? null : configText(config);
  await inTransaction(ctx.pool, async (client) => {
    await client.query("UPDATE run SET config = COALESCE($2::json, config) WHERE id = $1", [
      runId,
      text,
    ]);
    if (labels !== undefined) await addLabels(client, runId, labels);
  });
  ctx.live.emit("run", runId);
}

/** Clients say their labels again with each call: one that a person took away does not come back, one without room gets in later. */
async function addLabels(
  client: PoolClient,
  runId: string,
  labels: readonly string[],
): Promise<void> {
  const { rows } = await client.query<{ tags: Record<string, string> }>(
    "SELECT tags FROM tracked_run WHERE run_id = $1 FOR UPDATE",
    [runId],
  );
  const said = rows[0]?.tags ?? {};
  const add = labels
    .slice(0, MOST_LABELS)
    .map((label) => storableText(label.slice(0, MOST_LABEL_LENGTH)))
    .filter((label) => !Object.hasOwn(said, label));
  if (add.length === 0) return;
  const left = await fitTags(client, runId, { add, remove: [] });
  const taken = add.filter((label) => !left.includes(label));
  if (taken.length === 0) return;
  await client.query("UPDATE tracked_run SET tags = $2 WHERE run_id = $1", [
    runId,
    jsonText({ ...said, ...Object.fromEntries(taken.map((label) => [label, ""])) }),
  ]);
}
