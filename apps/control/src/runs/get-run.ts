import {
  isTerminal,
  isVerlDriver,
  type RunDetail,
  RunDiagnosis,
  type RunSummary,
} from "@liverl/contract/run";
import type { Run } from "@liverl/prisma/client";
import { stringify } from "yaml";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import type { Context } from "#context.ts";
import { listFindings } from "#findings/store-findings.ts";
import { catchUpFindings } from "#findings/sync-findings.ts";
import { findParent, listForks } from "#forks/list-forks.ts";
import { sumUntrained } from "#rollouts/sum-untrained.ts";
import { costOfRun } from "#runs/cost-of-run.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { listBootPhases } from "#runs/list-boot-phases.ts";
import { canAbandon } from "#runs/stop-run.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";
import { judgeBoot } from "#verdict/judge-boot.ts";
import { withStall } from "#verdict/with-stall.ts";

/** Everything that the head and the overview of a run show. */
export async function getRun(ctx: Context, { id }: { id: string }): Promise<RunDetail> {
  const run = await getRunRow(ctx, id);
  await catchUpFindings(ctx, run);
  const [found] = await summariseRuns(ctx, [run]);
  if (!found) throw new Error(`run ${id} has no summary`);
  const { summary, verdict, stepS, spec, known, active } = found;
  const [parent, forks, boot, rollouts, steps, events, checkpoints, cost, findings, untrained] =
    await Promise.all([
      findParent(ctx, run),
      listForks(ctx, id),
      listBootPhases(ctx, run),
      ctx.db.rollout.count({ where: { runId: id } }),
      ctx.pool.query<{ steps: number }>(
        "SELECT COALESCE(max(points), 0)::int AS steps FROM series WHERE run_id = $1",
        [id],
      ),
      ctx.db.runEvent.count({ where: { runId: id } }),
      run.driver === "attached" ? [] : findCheckpoints(ctx.config.dataDir, id),
      costOfRun(ctx, { runId: id, spent: summary.spent, finalReward: run.heldOutReward }),
      listFindings(ctx, id),
      sumUntrained(ctx, run),
    ]);
  const waitsFor = await findWaitWords(ctx, run);
  const left = summary.plannedSteps === null ? null : summary.plannedSteps - summary.step;
  return {
    ...summary,
    statusReason: summary.statusReason ?? waitsFor,
    diagnosis: diagnosisOf(run),
    parent,
    forks,
    verdict: withStall(
      { ...verdict, findings },
      isTerminal(summary.status) ? null : judgeBoot(boot, Date.now()),
    ),
    boot,
    processes: await ctx.processesOf(id),
    active: { seconds: active.seconds, since: active.since?.toISOString() ?? null },
    etaS:
      summary.status === "running" && left !== null && stepS !== null
        ? Math.max(0, left * stepS)
        : null,
    counts: {
      metrics: known.metrics,
      steps: steps.rows[0]?.steps ?? 0,
      rollouts,
      checkpoints: checkpoints.length,
      events,
    },
    untrained,
    specYaml: spec ? stringify(spec) : null,
    configYaml: run.config === null ? null : stringify(run.config),
    attachedPath: run.attachedPath,
    cost,
    can: possibleActs(
      run,
      summary,
      checkpoints.some((checkpoint) => checkpoint.complete),
    ),
  };
}

/** One that another version wrote in another form is left out: the reason beside the status holds its words. */
function diagnosisOf({ diagnosis }: Run): RunDetail["diagnosis"] {
  const known = RunDiagnosis.safeParse(diagnosis).data;
  return known ? { ...known, source: "verl" } : null;
}

/** What a queued run of the embedded driver waits for, which conducts one at a time; null for any other. */
async function findWaitWords(ctx: Context, run: Run): Promise<string | null> {
  if (run.status !== "queued" || run.driver !== "embedded") return null;
  const under = await ctx.db.run.findFirst({
    where: {
      ...{ driver: "embedded", id: { not: run.id } },
      OR: [
        { status: { in: ["booting", "running", "stopping"] } },
        { status: "queued", createdAt: { lt: run.createdAt } },
      ],
    },
    orderBy: { createdAt: "asc" },
    select: { name: true },
  });
  return under && `Waits for ${under.name} to end: one run trains here at a time.`;
}

/** A plan may end before its steps do, at its goal. */
function doneWords({ step, plannedSteps }: RunSummary): string {
  return plannedSteps !== null && step < plannedSteps
    ? `It met its plan's goal after ${step} of ${plannedSteps} steps`
    : "It did all that its plan asks for";
}

function possibleActs(run: Run, summary: RunSummary, hasCheckpoint: boolean): RunDetail["can"] {
  const { status } = summary;
  const ended = isTerminal(status);
  const attached = run.driver === "attached";
  const why = "An attached run is only watched.";
  const stopping = status === "stopping";
  return {
    stop: ended ? "The run has ended." : stopping ? "It stops already." : true,
    checkpoint: attached
      ? why
      : isVerlDriver(run.driver)
        ? "verl writes them every trainer.save_freq steps."
        : status === "running"
          ? true
          : `${ended ? "The run has ended" : `The run is ${status}`}; only a running one writes checkpoints.`,
    resume: attached
      ? why
      : !ended
        ? `The run is ${status}; only an ended one can be resumed.`
        : status === "succeeded"
          ? `${doneWords(summary)}: fork it from a checkpoint to train on.`
          : hasCheckpoint
            ? true
            : "There is no complete checkpoint.",
    kill: attached
      ? why
      : ended
        ? "The run has ended."
        : stopping && run.stopMode === "now"
          ? "It stops already."
          : true,
    clean: attached ? why : ended || `The run is ${status}; it can be cleaned once it has ended.`,
    delete: ended || `The run is ${status}; it can be deleted once it has ended.`,
    abandon: canAbandon(run) || "Only a job of a cluster that is being killed can be given up.",
  };
}
