import { isTerminal, type Verdict } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { listFindings } from "#findings/store-findings.ts";
import { syncFindings } from "#findings/sync-findings.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { listBootPhases } from "#runs/list-boot-phases.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";
import { judgeBoot } from "#verdict/judge-boot.ts";
import { withStall } from "#verdict/with-stall.ts";

/** The verdict alone, as the overview shows it: what a script or an agent on watch asks for. */
export async function getVerdict(
  ctx: Pick<Context, "db" | "pool" | "live">,
  { id }: { id: string },
): Promise<Verdict> {
  const run = await getRunRow(ctx, id);
  await syncFindings(ctx, run);
  const [boot, [found], findings] = await Promise.all([
    listBootPhases(ctx, run),
    summariseRuns(ctx, [run]),
    listFindings(ctx, id),
  ]);
  if (!found) throw new Error(`run ${id} has no summary`);
  const isOver = isTerminal(found.summary.status);
  const verdict = { ...found.verdict, findings };
  return withStall(verdict, isOver ? null : judgeBoot(boot, Date.now()));
}
