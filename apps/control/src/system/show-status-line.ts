import { setTimeout as sleep } from "node:timers/promises";
import type { RunSummary } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";

/** Also the pace at which a terminal sees changes: the line costs three queries. */
const EVERY_MS = 2_000;

/** One line on stderr about the newest run: rewritten in a terminal, printed at changes elsewhere. Ends with `signal`. */
export async function showStatusLine(ctx: Context, signal: AbortSignal): Promise<void> {
  const terminal = process.stderr.isTTY === true;
  let shown = "";
  let changed = true;
  ctx.live.on("run", () => {
    changed = true;
  });
  while (!signal.aborted) {
    if (!changed) {
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
      continue;
    }
    changed = false;
    const line = await statusLine(ctx).catch(() => "the database is restarting");
    if (line !== null && line !== shown) {
      process.stderr.write(terminal ? `\r\x1b[2K${line}` : `${line}\n`);
      shown = line;
    }
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  if (terminal && shown !== "") process.stderr.write("\n");
}

async function statusLine(ctx: Context): Promise<string | null> {
  const row = await ctx.db.run.findFirst({
    where: { status: { not: "draft" } },
    orderBy: { createdAt: "desc" },
  });
  if (!row) return null;
  const [found] = await summariseRuns(ctx, [row]);
  if (!found) return null;
  const run = found.summary;
  if (run.status === "booting") return `${run.id} ${await bootWord(ctx, run.id)}`;
  return [run.id, run.status, ...numbers(run)].join("  ");
}

async function bootWord(ctx: Context, runId: string): Promise<string> {
  const phase = await ctx.db.bootPhase.findFirst({
    where: { runId, state: "now" },
    orderBy: { startedAt: "desc" },
  });
  return ["booting", phase?.phase, phase?.detail].filter(Boolean).join("  ");
}

function numbers(run: RunSummary): string[] {
  const parts = [`step ${run.step}/${run.plannedSteps ?? "?"}`];
  if (run.reward.last !== null) parts.push(`reward ${run.reward.last.toFixed(3)}`);
  if (run.heldOutReward !== null) parts.push(`held-out ${run.heldOutReward.toFixed(3)}`);
  if (run.statusReason !== null) parts.push(run.statusReason);
  return parts;
}
