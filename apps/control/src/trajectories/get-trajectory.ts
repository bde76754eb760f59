import { AppError } from "@liverl/contract/app-error";
import { textOfMessage } from "@liverl/contract/read-message";
import { instructionOf, parseRepairRef } from "@liverl/contract/repair-task";
import { PHASES_FILE, TrialTimings } from "@liverl/contract/rollout";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { TrajectoryView } from "@liverl/contract/views";
import type { Context } from "#context.ts";
import { dividesByStd, viewGroups } from "#groups/view-groups.ts";
import { viewRollout } from "#rollouts/view-rollout.ts";
import { buildPhases, readPhases, stepNamesOf } from "#trajectories/build-phases.ts";
import { buildTimeline } from "#trajectories/build-timeline.ts";
import { buildTurns } from "#trajectories/build-turns.ts";
import { findHonestSibling } from "#trajectories/find-honest-sibling.ts";
import { openRunTokenizer } from "#trajectories/open-run-tokenizer.ts";
import { parseJson } from "#trajectories/parse-json.ts";
import { readPatch } from "#trajectories/read-patch.ts";
import { readVerifier } from "#trajectories/read-verifier.ts";
import { TrialFolder } from "#trajectories/trial-folder.ts";

const TRAJECTORY_FILE = "proxy_trajectory.json";
/** Some 2 million tokens with their log-probs. */
const MAX_TRAJECTORY_BYTES = 64 * 1024 * 1024;

/** One attempt with every token of one segment, its siblings, its patch and its verdict. */
export async function getTrajectory(
  ctx: Pick<Context, "db" | "config">,
  { rolloutId, segmentId }: { rolloutId: string; segmentId?: number | undefined },
): Promise<TrajectoryView> {
  const row = await ctx.db.rollout.findUnique({ where: { rolloutId } });
  if (!row) throw new AppError("NOT_FOUND", { userMessage: `There is no rollout ${rolloutId}.` });
  const run = row.runId === null ? null : await ctx.db.run.findUnique({ where: { id: row.runId } });
  const siblings = await ctx.db.rollout.findMany({
    where: { runId: row.runId, groupId: row.groupId },
    orderBy: { index: "asc" },
  });
  const [group] = viewGroups(siblings, dividesByStd(run?.spec));
  const folder = await TrialFolder.open(ctx.config.dataDir, row.directory);
  const whole = (await folder?.readWhole(TRAJECTORY_FILE, MAX_TRAJECTORY_BYTES)) ?? null;
  // Cut or of another version: the raw text is still shown.
  const trajectory = ProxyTrajectory.safeParse(parseJson(whole)).data ?? null;
  const segment =
    trajectory?.segments.find((one) =>
      segmentId === undefined ? one.trainable : one.id === segmentId,
    ) ?? (segmentId === undefined ? trajectory?.segments[0] : undefined);
  if (segmentId !== undefined && trajectory && !segment)
    throw new AppError("NOT_FOUND", { userMessage: `${rolloutId} has no segment ${segmentId}.` });
  const tokenizer = row.runId === null ? null : await openRunTokenizer(ctx, row.runId);
  const patch = await readPatch(folder);
  const timings = row.timings === null ? null : TrialTimings.parse(row.timings);
  const begun = readPhases(await folder?.read(PHASES_FILE));
  const phases = buildPhases(row, begun);
  return {
    rollout:
      group?.rollouts.find((rollout) => rollout.rolloutId === rolloutId) ?? viewRollout(row, null),
    runId: row.runId,
    project: run?.project ?? "sessions",
    instruction: instructionFor(row.taskId, trajectory),
    group: siblings.map((sibling) => ({
      rolloutId: sibling.rolloutId,
      index: sibling.index,
      reward: sibling.reward,
      status: viewRollout(sibling, null).status,
    })),
    groupMean: group?.mean ?? null,
    groupStd: group?.std ?? null,
    segments:
      trajectory?.segments.map(({ id, trainable, reason, path }) => ({
        id,
        trainable,
        reason,
        nodes: path,
      })) ?? [],
    turns: trajectory && segment ? buildTurns(trajectory, segment, tokenizer) : [],
    timeline: buildTimeline({
      queuedAt: row.queuedAt,
      timings,
      calls: trajectory?.calls ?? [],
      phases,
    }),
    phases,
    patch,
    verifier: await readVerifier(folder, stepNamesOf(begun)),
    honestSibling: await findHonestSibling(ctx, { row, siblings, patch }),
    files: (await folder?.list()) ?? [],
  };
}

function instructionFor(taskId: string, trajectory: ProxyTrajectory | null): string {
  const task = parseRepairRef(taskId);
  if (task) return instructionOf(task);
  const first = trajectory?.nodes.find((node) => node.kind === "given" && node.role === "user");
  if (!first) return "";
  const messages = Array.isArray(first.message) ? first.message : [first.message];
  return messages.map(textOfMessage).join("\n");
}
