import { AppError } from "@liverl/contract/app-error";
import type { LaunchRun, LaunchSpec } from "@liverl/contract/launch";
import type { Context } from "#context.ts";
import { planLaunch } from "#launch/plan-launch.ts";
import { launchRun } from "#runs/launch-run.ts";

/** Launches what its preflight lets through; with `force`, what it refuses, too. A key that made its run is not judged again. */
export async function launchJudged(
  ctx: Context & { actor: string },
  { force = false, ...launch }: LaunchRun,
): Promise<{ id: string }> {
  const isKnown = async () =>
    (await ctx.db.launchKey.count({ where: { key: launch.idempotencyKey } })) > 0;
  if (!force && !(await isKnown())) {
    const refused = await askPreflight(ctx, launch.spec);
    // The same launch may have arrived twice: the other one's run is in the way of nothing but its own repeat.
    if (refused !== null && !(await isKnown())) throw refused;
  }
  return launchRun(ctx, launch);
}

async function askPreflight(ctx: Context, spec: LaunchSpec): Promise<AppError | null> {
  const { preflight } = await planLaunch(ctx, { spec });
  const fails = preflight.filter(({ status }) => status === "fail");
  if (fails.length === 0) return null;
  const told = fails.map(({ title, why }) => `${title}: ${why}`).join(" ");
  return new AppError("CONFLICT", {
    userMessage: `The preflight refuses. ${told} Mend what fails, or launch with \`force\`.`,
  });
}
