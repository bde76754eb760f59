import { randomUUID } from "node:crypto";
import type { Context } from "#context.ts";
import { quickstart } from "#launch/presets/embedded-presets.ts";
import { launchRun } from "#runs/launch-run.ts";

const UNDER_WAY = ["queued", "booting", "running", "stopping"];

/**
 * The run that this start is about: one that is under way; else a new quickstart run, if the data directory has no run
 * yet or the caller waits for one; else null.
 */
export async function chooseFirstRun(ctx: Context): Promise<string | null> {
  const { run, exitAfterRun, seed } = ctx.config;
  const current = await ctx.db.run.findFirst({
    where: { driver: "embedded", status: { in: UNDER_WAY } },
    orderBy: { createdAt: "desc" },
  });
  if (current) return current.id;
  if (!run) return null;
  // A draft is what a kill in the middle of a launch leaves: nobody sees it.
  const launched = { driver: "embedded", status: { not: "draft" } };
  if (!exitAfterRun && (await ctx.db.run.count({ where: launched })) > 0) return null;
  const { id } = await launchRun(
    { ...ctx, actor: "npm start" },
    {
      spec: { ...quickstart.spec, seed },
      idempotencyKey: randomUUID(),
      base: { kind: "preset", id: quickstart.id },
    },
  );
  return id;
}
