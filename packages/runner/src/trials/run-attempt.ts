import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type {
  CompletedSession,
  CompleteSession,
  OpenSessionInput,
  RegisterRun,
} from "@liverl/contract/proxy-admin";
import { parseRepairRef, type RepairTask } from "@liverl/contract/repair-task";
import type {
  FlatSegment,
  RolloutError,
  TrialChange,
  TrialTimings,
} from "@liverl/contract/rollout";
import type { Termination } from "@liverl/contract/trajectory";
import type { RunnerContext } from "#context.ts";
import type { Patience, ProxyLink } from "#proxy-process/proxy-link.ts";
import {
  createProcessSandbox,
  type OwnedSandbox,
  type ProcessSandbox,
} from "#sandboxes/process-sandbox.ts";
import { repairFiles } from "#sandboxes/repair-files.ts";
import type { AgentReport } from "#scaffolds/agent-messages.ts";
import { linkOfTrial } from "#sessions/link-of-session.ts";
import { takeTrajectory } from "#sessions/take-trajectory.ts";
import { moveTrial } from "#trials/move-trial.ts";
import type { Trial } from "#trials/trial.ts";
import { trialDirectory } from "#trials/trial-directory.ts";
import { TrialError, toRolloutError } from "#trials/trial-error.ts";
import { type PhaseTimes, writeHarborFiles } from "#trials/write-harbor-files.ts";
import { verifyRepair } from "#verifier/verify-repair.ts";

/** What a finished attempt changes of its trial. */
export type AttemptOutcome = Pick<
  TrialChange,
  | "reward"
  | "termination"
  | "turns"
  | "tokensSampled"
  | "tokensTotal"
  | "versionSpan"
  | "truncated"
  | "keptSegments"
  | "routingCoverage"
  | "timings"
  | "endedAt"
  | "directory"
> & { status: "succeeded" | "cancelled"; segments: FlatSegment[] };

export interface FailedAttempt {
  failure: RolloutError;
  directory: string | null;
}

/** Time that a session outlives its trial's deadline: outages of the proxy, the verifier. */
const SESSION_SLACK_S = 600;
const CALLS_PER_TURN = 4;

interface Attempt {
  run: RegisterRun;
  /** The proxy that the attempt's session lives in, and whether it is that of the trainer's host. */
  proxy: { link: ProxyLink; isTrainers: boolean };
  trial: Trial;
  task: RepairTask;
  /** Relative to the data directory. */
  directory: string;
  /** Aborted when the run is cancelled. */
  signal: AbortSignal;
  times: PhaseTimes;
}

/** One attempt from start to reward. Never throws: what infrastructure did to it is a {@link FailedAttempt}. */
export async function runAttempt(
  ctx: RunnerContext,
  run: RegisterRun,
  trial: Trial,
  signal: AbortSignal,
): Promise<AttemptOutcome | FailedAttempt> {
  const { request, change } = trial;
  const task = parseRepairRef(request.taskRef);
  if (!task)
    return {
      failure: toRolloutError(
        new TrialError("AgentSetupError", `No such task: ${request.taskRef}`),
      ),
      directory: null,
    };
  const directory = trialDirectory({
    project: run.project,
    runId: request.runId,
    mode: request.mode,
    step: request.step,
    sessionId: change.sessionId,
  });
  const attempt: Attempt = {
    run,
    proxy: { link: linkOfTrial(ctx, trial), isTrainers: trial.proxy !== null },
    trial,
    task,
    directory,
    signal,
    times: { queuedAt: new Date(change.queuedAt), startedAt: new Date() },
  };
  let sandbox: OwnedSandbox | null = null;
  try {
    const starting = moveTrial(ctx, trial, "running", {
      startedAt: attempt.times.startedAt.toISOString(),
      error: null,
    });
    const [made] = await Promise.all([
      createProcessSandbox(
        join(ctx.config.dataDir, "sandboxes", change.sessionId),
        repairFiles(task),
      ),
      mkdir(join(ctx.config.dataDir, directory, "verifier"), { recursive: true }),
      mkdir(join(ctx.config.dataDir, directory, "artifacts"), { recursive: true }),
      starting,
    ]);
    sandbox = made;
    return await inSandbox(ctx, attempt, sandbox);
  } catch (error) {
    if (ctx.closing.aborted) return { failure: toRolloutError(error), directory: null };
    return await abandon(ctx, attempt, toRolloutError(error));
  } finally {
    // Left behind on an error: the next start of the runner clears the folder.
    void sandbox?.destroy().catch(() => undefined);
  }
}

async function inSandbox(
  ctx: RunnerContext,
  attempt: Attempt,
  sandbox: ProcessSandbox,
): Promise<AttemptOutcome> {
  const { trial, task, times, directory } = attempt;
  const session = await attempt.proxy.link.openSession(sessionOf(ctx, attempt));
  times.agentStartedAt = new Date();
  const report = await runAgentUntilDeadline(ctx, attempt, sandbox, session);
  times.agentEndedAt = new Date();
  const isCancelled = attempt.signal.aborted;
  if (report.failure && !isCancelled)
    throw new TrialError(report.failure.exceptionType, report.failure.message);
  const termination: Termination = isCancelled ? "cancelled" : report.termination;
  const source = await sandbox.read(task.path);
  const verdict = isCancelled ? null : await verifyRepair(ctx.verifier, task, source);
  times.verifierEndedAt = new Date();
  const completed = await completeSession(ctx, attempt, {
    reward: verdict ? { reward: verdict.reward } : null,
    termination,
  });
  times.endedAt = new Date();
  writeHarborFiles({
    root: join(ctx.config.dataDir, directory),
    trial,
    run: attempt.run,
    task,
    source,
    verdict,
    completed,
    exception: exceptionOf(attempt, termination),
    turns: report.turns,
    termination,
    times,
  });
  return {
    status: isCancelled ? "cancelled" : "succeeded",
    reward: verdict?.reward ?? null,
    termination,
    turns: report.turns,
    tokensSampled: completed.tokensSampled,
    tokensTotal: completed.tokensTotal,
    versionSpan: completed.versionSpan,
    truncated: completed.truncated,
    keptSegments: completed.keptSegments,
    routingCoverage: completed.routingCoverage,
    timings: timingsOf(times, report, completed),
    endedAt: times.endedAt.toISOString(),
    directory,
    segments: completed.segments,
  };
}

/** Freezes the session; from a proxy of another machine its files come into the trial's folder, where all others lie. */
async function completeSession(
  ctx: RunnerContext,
  { trial, directory, proxy: { link, isTrainers } }: Attempt,
  ending: CompleteSession,
  patience?: Patience,
): Promise<CompletedSession> {
  const { sessionId } = trial.change;
  const completed = await link.completeSession(sessionId, ending, patience);
  if (isTrainers)
    await takeTrajectory({ link, log: ctx.log }, sessionId, join(ctx.config.dataDir, directory));
  return completed;
}

function sessionOf(
  ctx: RunnerContext,
  { run, trial, directory, proxy }: Attempt,
): OpenSessionInput {
  const { request, change } = trial;
  return {
    sessionId: change.sessionId,
    poolId: request.runId,
    rolloutId: request.rolloutId,
    attempt: change.attempt,
    runId: request.runId,
    taskId: request.taskRef,
    groupId: request.groupId,
    step: request.step,
    mode: request.mode,
    sampling: request.sampling,
    outputs: request.outputs,
    ...(request.routedExperts && { routedExperts: true }),
    // Below the data of the proxy, whichever that is.
    directory: proxy.isTrainers ? directory : join(ctx.config.dataDir, directory),
    expiresAt: new Date(Date.now() + (run.rolloutTimeoutS + SESSION_SLACK_S) * 1_000).toISOString(),
    maxCalls: run.maxTurns * CALLS_PER_TURN,
  };
}

async function runAgentUntilDeadline(
  ctx: RunnerContext,
  { run, trial, signal }: Attempt,
  sandbox: ProcessSandbox,
  session: { baseUrl: string; apiKey: string },
): Promise<AgentReport> {
  const ending = new AbortController();
  const abort = () => ending.abort();
  const deadline = setTimeout(abort, run.rolloutTimeoutS * 1_000);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await ctx.agents.run(
      {
        sessionId: trial.change.sessionId,
        taskRef: trial.request.taskRef,
        sandbox: sandbox.root,
        baseUrl: session.baseUrl,
        apiKey: session.apiKey,
        model: run.pool.modelName,
        maxTurns: run.maxTurns,
      },
      ending.signal,
    );
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener("abort", abort);
  }
}

/** Harbor records a time-out of the agent beside the reward: the verifier runs all the same. */
function exceptionOf({ run }: Attempt, termination: Termination): RolloutError | null {
  if (termination !== "timeout") return null;
  return {
    exception_type: "AgentTimeoutError",
    exception_message: `Agent execution timed out after ${run.rolloutTimeoutS} seconds`,
    occurred_at: new Date().toISOString(),
  };
}

function timingsOf(
  times: PhaseTimes,
  report: AgentReport,
  completed: CompletedSession,
): TrialTimings {
  const seconds = (from: Date, to: Date | undefined) =>
    to ? Math.max(0, to.getTime() - from.getTime()) / 1_000 : 0;
  const { queuedAt, startedAt, agentStartedAt = startedAt, agentEndedAt = agentStartedAt } = times;
  return {
    queueS: seconds(queuedAt, startedAt),
    setupS: seconds(startedAt, agentStartedAt),
    agentS: seconds(agentStartedAt, agentEndedAt),
    generateS: completed.generateS,
    toolS: report.toolS,
    verifyS: seconds(agentEndedAt, times.verifierEndedAt),
  };
}

/** Freezes what the attempt left at the proxy and says in its folder why there is no reward; as far as that still works. */
async function abandon(
  ctx: RunnerContext,
  attempt: Attempt,
  failure: RolloutError,
): Promise<FailedAttempt> {
  const { trial, directory, times, signal } = attempt;
  const termination: Termination = signal.aborted ? "cancelled" : "infra-error";
  const completed = await completeSession(
    ctx,
    attempt,
    { reward: null, termination },
    { patienceMs: 10_000 },
  ).catch(() => null);
  times.endedAt = new Date();
  try {
    writeHarborFiles({
      root: join(ctx.config.dataDir, directory),
      trial,
      run: attempt.run,
      task: attempt.task,
      source: null,
      verdict: null,
      completed,
      exception: failure,
      turns: 0,
      termination,
      times,
    });
    return { failure, directory };
  } catch (error) {
    ctx.log.warn(
      { err: error, sessionId: trial.change.sessionId },
      "the files of a failed attempt could not be written",
    );
    return { failure, directory: null };
  }
}
