import { LaunchSpec } from "@liverl/contract/launch";
import { type BootPhase, isVerlDriver } from "@liverl/contract/run";
import { EMBEDDED_BOOT_PHASES } from "@liverl/contract/trainer";
import { VERL_BOOT_PHASES } from "@liverl/contract/verl-launch";
import type { Run } from "@liverl/prisma/client";
import type { z } from "zod";
import type { Context } from "#context.ts";
import { firstStepOf } from "#forks/find-origin.ts";

type BootPhaseView = z.infer<typeof BootPhase>;
const EARLIER_RUNS = 20;

/** The boot phases of the run's newest attempt, with the range that the same phase took in earlier runs of its driver. */
export async function listBootPhases(
  ctx: Pick<Context, "db">,
  run: Pick<Run, "id" | "driver" | "attempt" | "status" | "spec">,
): Promise<BootPhaseView[]> {
  const phases = phasesOf(run);
  if (phases.length === 0) return [];
  const rows = await ctx.db.bootPhase.findMany({
    where: { runId: run.id },
    orderBy: { attempt: "desc" },
  });
  const attempt = rows[0]?.attempt ?? run.attempt;
  const present = new Map(
    rows.filter((row) => row.attempt === attempt).map((row) => [row.phase, row]),
  );
  const earlier = await ctx.db.bootPhase.findMany({
    where: {
      state: "done",
      endedAt: { not: null },
      run: { driver: run.driver },
      NOT: { runId: run.id, attempt },
    },
    orderBy: { startedAt: "desc" },
    take: EARLIER_RUNS * phases.length,
  });
  return phases.map(({ id, label }) => {
    const row = present.get(id);
    const took = earlier.flatMap((other) =>
      other.phase === id && other.endedAt
        ? [(other.endedAt.getTime() - other.startedAt.getTime()) / 1000]
        : [],
    );
    return {
      id,
      label,
      status: row
        ? row.state === "done"
          ? "done"
          : row.state === "failed"
            ? "failed"
            : "now"
        : "todo",
      detail: row?.detail ?? null,
      progress: row?.progress ?? null,
      startedAt: row?.startedAt.toISOString() ?? null,
      endedAt: row?.endedAt?.toISOString() ?? null,
      typicalS: took.length === 0 ? null : [Math.min(...took), Math.max(...took)],
    };
  });
}

function phasesOf({ driver, spec }: Pick<Run, "driver" | "spec">) {
  if (driver === "embedded") {
    const launched = LaunchSpec.safeParse(spec).data;
    const isFork = launched !== undefined && firstStepOf(launched) > 0;
    // What goes on from a checkpoint is warm.
    return EMBEDDED_BOOT_PHASES.filter(({ id }) => !isFork || id !== "warmup");
  }
  return isVerlDriver(driver) ? VERL_BOOT_PHASES : [];
}
