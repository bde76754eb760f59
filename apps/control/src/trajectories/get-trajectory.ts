import { AppError } from "@liverl/contract/app-error";
import { textOfMessage } from "@liverl/contract/read-message";
import { instructionOf, parseRepairRef } from "@liverl/contract/repair-task";
import { PHASES_FILE, TrialTimings } from "@liverl/contract/rollout";
import { isOutOfTraining } from "@liverl/contract/rollout-training";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { OfSegment } from "@liverl/contract/turn-view";
import type { TrajectoryView } from "@liverl/contract/views";
import type { Context } from "#context.ts";
import { viewGroups } from "#groups/view-groups.ts";
import { viewRollout } from "#rollouts/view-rollout.ts";
import { advantageOf } from "#trajectories/advantage-of.ts";
import { buildPhases, readPhases, stepNamesOf } from "#trajectories/build-phases.ts";
import { buildTimeline } from "#trajectories/build-timeline.ts";
import { findContradiction } from "#trajectories/find-contradiction.ts";
import { findHonestSibling } from "#trajectories/find-honest-sibling.ts";
import { openRecord, type RecordOfRollout } from "#trajectories/open-record.ts";
import { outlineTurns, spreadLogprobs } from "#trajectories/outline-turns.ts";
import { readPatch } from "#trajectories/read-patch.ts";
import { readVerifier } from "#trajectories/read-verifier.ts";
import { findSegment, type Segment } from "#trajectories/segment-path.ts";
import { viewTrained } from "#trajectories/trained/view-trained.ts";
import { TrialFolder } from "#trajectories/trial-folder.ts";
import { loadAccount } from "#updates/load-account.ts";

/** One attempt with the outline of one segment, its siblings, its patch and its verdict; live while it runs. */
export async function getTrajectory(
  ctx: Pick<Context, "db" | "pool" | "config" | "log" | "runner">,
  { rolloutId, segmentId }: OfSegment,
): Promise<TrajectoryView> {
  const row = await ctx.db.rollout.findUnique({ where: { rolloutId } });
  if (!row) throw new AppError("NOT_FOUND", { userMessage: `There is no rollout ${rolloutId}.` });
  const [run, siblings, folder, record] = await Promise.all([
    row.runId === null ? null : ctx.db.run.findUnique({ where: { id: row.runId } }),
    ctx.db.rollout.findMany({
      where: { runId: row.runId, groupId: row.groupId },
      orderBy: { index: "asc" },
    }),
    TrialFolder.open(ctx.config.dataDir, row.directory),
    openRecord(ctx, row),
  ]);
  const trajectory = record?.trajectory ?? null;
  const live = record?.live ?? false;
  const segment = trajectory && findSegment(trajectory, segmentId, live);
  if (segmentId !== undefined && trajectory && !segment)
    throw new AppError("NOT_FOUND", { userMessage: `${rolloutId} has no segment ${segmentId}.` });
  const [account, patch, begun, contradiction, files] = await Promise.all([
    loadAccount(ctx, run, siblings),
    readPatch(folder),
    folder?.read(PHASES_FILE).then(readPhases) ?? [],
    findContradiction(ctx, row),
    folder?.list() ?? [],
  ]);
  const [group] = viewGroups(siblings, account);
  const timings = row.timings === null ? null : TrialTimings.parse(row.timings);
  const phases = buildPhases(row, begun);
  const grouped = new Map(group?.rollouts.map((one) => [one.rolloutId, one]));
  const rollout = grouped.get(rolloutId) ?? viewRollout(row, account);
  const [trained, verifier, honestSibling] = await Promise.all([
    viewTrained(ctx, { run, row, trajectory, segment, training: rollout.training }),
    readVerifier(folder, stepNamesOf(begun)),
    findHonestSibling(ctx, { row, siblings, patch }),
  ]);
  return {
    rollout,
    runId: row.runId,
    project: run?.project ?? "sessions",
    instruction: instructionFor(row.taskId, trajectory),
    group: siblings.map((sibling) => ({
      rolloutId: sibling.rolloutId,
      index: sibling.index,
      reward: sibling.reward,
      advantage: grouped.get(sibling.rolloutId)?.advantage ?? null,
      status: viewRollout(sibling, account).status,
    })),
    groupMean: group?.mean ?? null,
    groupStd: group?.std ?? null,
    ...viewSegments(record, segment, isOutOfTraining(rollout.training)),
    trained,
    advantage: advantageOf(run?.spec, rollout, trained.spreads?.advantage),
    timeline: buildTimeline({
      queuedAt: row.queuedAt,
      timings,
      calls: trajectory?.calls ?? [],
      phases,
    }),
    phases,
    ...{ patch, verifier, honestSibling, contradiction, files },
  };
}

function viewSegments(
  record: RecordOfRollout | null,
  segment: Segment | null,
  isOut: boolean,
): Pick<TrajectoryView, "segments" | "segmentId" | "live" | "pendingSince" | "turns" | "logprobs"> {
  const { trajectory = null, live = false } = record ?? {};
  const pending = live ? trajectory?.calls.findLast(({ endedAt }) => endedAt === null) : undefined;
  return {
    segments: (trajectory?.segments ?? [])
      // A live one's call that is under way is a turn to come, no path of its own.
      .filter((one) => !live || one === segment || one.trainable)
      .map(({ id, trainable, reason, path }) => ({ id, trainable, reason, nodes: path })),
    segmentId: segment?.id ?? null,
    live,
    pendingSince: pending?.startedAt ?? null,
    turns:
      trajectory && segment ? outlineTurns(trajectory, isOut ? untrained(segment) : segment) : [],
    logprobs: trajectory && segment ? spreadLogprobs(trajectory, segment) : null,
  };
}

/** The mask says what would train; of a rollout that no update took, nothing did. */
const untrained = (segment: Segment): Segment => ({ ...segment, trainedNodes: [], recomputed: [] });

function instructionFor(taskId: string, trajectory: ProxyTrajectory | null): string {
  const task = parseRepairRef(taskId);
  if (task) return instructionOf(task);
  const first = trajectory?.nodes.find((node) => node.kind === "given" && node.role === "user");
  if (!first) return "";
  const messages = Array.isArray(first.message) ? first.message : [first.message];
  return messages.map(textOfMessage).join("\n");
}
