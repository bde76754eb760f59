import { AppError } from "@liverl/contract/app-error";
import { parseRepairRef } from "@liverl/contract/repair-task";
import type { RolloutRequest, TrainerProxy, TrialChange } from "@liverl/contract/rollout";
import type { RegisteredRun, RunnerContext } from "#context.ts";
import { loadRunnableTask } from "#tasks/load-runnable-task.ts";
import { taskFolderOf } from "#tasks/task-folder.ts";
import { moveTrial } from "#trials/move-trial.ts";
import { startQueued } from "#trials/start-queued.ts";
import { newTrial, sessionIdOf, type Trial } from "#trials/trial.ts";

/** Takes a rollout; durable when it resolves. A repeat of the same id resolves to the same trial. */
export async function acceptRollout(ctx: RunnerContext, asked: RolloutRequest): Promise<Trial> {
  const { proxy = null, ...request } = asked;
  const { rolloutId } = request;
  const known = ctx.trials.get(rolloutId);
  // A run that was cancelled and registered again may ask again for what was cancelled.
  if (known && !(known.change.status === "cancelled" && ctx.runs.has(request.runId)))
    return wake(ctx, sameRollout(known, request), proxy);
  const pending = ctx.accepting.get(rolloutId);
  if (pending !== undefined) return sameRollout(await pending, request);
  const accepting = journalRollout(ctx, request, {
    proxy,
    earlierAttempts: known?.change.attempt ?? 0,
  }).finally(() => ctx.accepting.delete(rolloutId));
  ctx.accepting.set(rolloutId, accepting);
  return await accepting;
}

function sameRollout(trial: Trial, request: RolloutRequest): Trial {
  const { runId, taskRef, mode, step } = trial.request;
  if (
    runId !== request.runId ||
    taskRef !== request.taskRef ||
    mode !== request.mode ||
    step !== request.step
  ) {
    throw new AppError("CONFLICT", {
      userMessage: `Rollout ${request.rolloutId} exists with another run, task, mode or step.`,
    });
  }
  return trial;
}

/** A trial of an earlier life waits until it is asked for again. */
function wake(ctx: RunnerContext, trial: Trial, proxy: TrainerProxy | null): Trial {
  // A trainer that started over may have another one.
  trial.proxy = proxy ?? trial.proxy;
  const registered = ctx.runs.get(trial.request.runId);
  const isAsleep =
    registered &&
    trial.change.status === "queued" &&
    !registered.running.has(trial) &&
    !registered.queue.includes(trial);
  if (isAsleep) {
    registered.queue.push(trial);
    startQueued(ctx, registered);
  }
  return trial;
}

async function journalRollout(
  ctx: RunnerContext,
  request: RolloutRequest,
  { proxy, earlierAttempts }: { proxy: TrainerProxy | null; earlierAttempts: number },
): Promise<Trial> {
  const registered = ctx.runs.get(request.runId);
  if (!registered) {
    throw new AppError("NOT_FOUND", {
      userMessage: `Run ${request.runId} is not registered here: PUT /api/v1/runs/${request.runId} first.`,
    });
  }
  refuseOtherProxy(registered, proxy);
  const taskName = await nameOfTask(ctx, request.taskRef);
  const attempt = earlierAttempts + 1;
  const change: TrialChange = {
    cursor: ctx.feed.mint(),
    rolloutId: request.rolloutId,
    sessionId: sessionIdOf(request.rolloutId, attempt),
    runId: request.runId,
    groupId: request.groupId,
    taskId: request.taskRef,
    taskName,
    mode: request.mode,
    step: request.step,
    attempt,
    status: "queued",
    reward: null,
    termination: null,
    error: null,
    turns: 0,
    tokensSampled: 0,
    tokensTotal: 0,
    versionSpan: null,
    truncated: false,
    keptSegments: 0,
    untrained: null,
    routingCoverage: null,
    timings: null,
    flags: [],
    queuedAt: new Date().toISOString(),
    startedAt: null,
    endedAt: null,
    directory: null,
  };
  const { seq } = await ctx.journal.append({ kind: "accepted", request, change });
  const trial = newTrial(request, change, proxy);
  ctx.trials.set(request.rolloutId, trial);
  ctx.feed.publish(change, seq);
  if (ctx.runs.get(request.runId) === registered) {
    registered.queue.push(trial);
    startQueued(ctx, registered);
  } else {
    // Removed while the record was on its way to the disk: its cancel has missed this one.
    await moveTrial(ctx, trial, "cancelled", {
      termination: "cancelled",
      endedAt: new Date().toISOString(),
    });
  }
  return trial;
}

/** Throws where there is no such task, or it can not run here. */
async function nameOfTask(ctx: Pick<RunnerContext, "sandboxes">, taskRef: string): Promise<string> {
  const repair = parseRepairRef(taskRef);
  if (repair) return `${repair.functions[repair.brokenFunction]?.name ?? "?"} in ${repair.path}`;
  const folder = taskFolderOf(taskRef);
  if (folder !== null) return (await loadRunnableTask(folder, ctx.sandboxes.abilities)).name;
  throw new AppError("BAD_REQUEST", {
    userMessage: `No such task: ${taskRef}. Known: repair/<seed>, and the absolute path of a task's folder in Harbor's format.`,
  });
}

/** A runner speaks to no address that its operator has not allowed. */
function refuseOtherProxy({ runId, run }: RegisteredRun, proxy: TrainerProxy | null): void {
  const wantsOne = run.trainerProxies === true;
  if (wantsOne === (proxy !== null)) return;
  throw new AppError("BAD_REQUEST", {
    userMessage: wantsOne
      ? `Run ${runId} samples through the proxies of its trainer's hosts, and this rollout names none: set proxy_mode to local in its agent loop.`
      : `Run ${runId} samples through LiveRL's own proxy, and this rollout names another: register the run with trainerProxies, or set proxy_mode to server in its agent loop.`,
  });
}
