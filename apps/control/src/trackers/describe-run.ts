import type { Context } from "#context.ts";
import { changeTags } from "#runs/change-tags.ts";
import { configText } from "#trackers/config-text.ts";
import { storableText } from "#trackers/json-text.ts";

const MOST_LABELS = 100;
const MOST_LABEL_LENGTH = 200;

/** Keeps what a trainer says of its run; what it does not say stays as it is, and so do the tags that people gave it. */
export async function describeRun(
  ctx: Pick<Context, "pool" | "live">,
  runId: string,
  { config, labels }: { config?: object | undefined; labels?: readonly string[] | undefined },
): Promise<void> {
  if (config === undefined && labels === undefined) return;
  const tags = labels
    ?.slice(0, MOST_LABELS)
    .map((label) => storableText(label.slice(0, MOST_LABEL_LENGTH)));
  const text = config === undefined ? null : configText(config);
  await ctx.pool.query("UPDATE run SET config = COALESCE($2::json, config) WHERE id = $1", [
    runId,
    text,
  ]);
  await changeTags(ctx.pool, [runId], { add: tags ?? [], remove: [] });
  ctx.live.emit("run", runId);
}
