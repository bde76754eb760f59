import type { Context } from "#context.ts";

/** Notes the begin or end of a boot phase of an attempt. A phase that ended stays ended when its begin is read again. */
export async function recordBootPhase(
  ctx: Pick<Context, "db" | "live">,
  runId: string,
  attempt: number,
  phase: string,
  state: "start" | "progress" | "end" | "fail",
  at: Date,
  detail: string | null,
  progress: number | null = null,
): Promise<void> {
  if (state === "start") {
    await ctx.db.bootPhase.createMany({
      data: [{ runId, attempt, phase, state: "now", detail, startedAt: at }],
      skipDuplicates: true,
    });
  } else if (state === "progress") {
    await ctx.db.bootPhase.updateMany({
      where: { runId, attempt, phase, state: "now" },
      data: { detail, progress },
    });
  } else {
    const end = {
      state: state === "end" ? "done" : "failed",
      endedAt: at,
      ...(detail === null ? {} : { detail }),
    };
    await ctx.db.bootPhase.upsert({
      where: { runId_attempt_phase: { runId, attempt, phase } },
      create: { runId, attempt, phase, startedAt: at, ...end },
      update: end,
    });
  }
  ctx.live.emit("run", runId);
}
