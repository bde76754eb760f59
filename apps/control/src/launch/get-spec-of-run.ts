import { AppError } from "@liverl/contract/app-error";
import { LaunchSpec } from "@liverl/contract/launch";
import type { Context } from "#context.ts";
import { viewStored } from "#database/view-stored.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** The values that a run was launched with. */
export async function getSpecOfRun(
  ctx: Pick<Context, "db">,
  { runId }: { runId: string },
): Promise<LaunchSpec> {
  const run = await getRunRow(ctx, runId);
  if (run.spec === null)
    throw new AppError("CONFLICT", {
      userMessage: `${runId} was attached: LiveRL did not launch it and does not know its values.`,
    });
  return viewStored(`run ${runId}`, () => LaunchSpec.parse(run.spec));
}
