import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RepairTask } from "@liverl/contract/repair-task";
import type { RolloutError, SandboxPhase } from "@liverl/contract/rollout";
import type { Termination } from "@liverl/contract/trajectory";
import type { RunnerContext } from "#context.ts";
import {
  createProcessSandbox,
  type OwnedSandbox,
  type ProcessSandbox,
} from "#sandboxes/process-sandbox.ts";
import { repairFiles } from "#sandboxes/repair-files.ts";
import type { AgentReport } from "#scaffolds/agent-messages.ts";
import {
  type Attempt,
  type AttemptOutcome,
  agentTimeout,
  type FailedAttempt,
  outcomeOf,
  sampledBefore,
} from "#trials/attempt.ts";
import type { Trial } from "#trials/trial.ts";
import { TrialError, toRolloutError } from "#trials/trial-error.ts";
import { writeHarborFiles } from "#trials/write-harbor-files.ts";
import { verifyRepair } from "#verifier/verify-repair.ts";

interface RepairAttempt extends Attempt {
  task: RepairTask;
  /** What the agent left, once it has ended: there to be read where the verifier fails. */
  left: { source: string | null; turns: number };
}

/** One attempt of a repair task from start to reward. Never throws: what infrastructure did to it is a {@link FailedAttempt}. */
export async function runRepairAttempt(
  ctx: RunnerContext,
  base: Attempt,
  task: RepairTask,
): Promise<AttemptOutcome | FailedAttempt> {
  const attempt: RepairAttempt = { ...base, task, left: { source: null, turns: 0 } };
  const { trial, directory } = attempt;
  let sandbox: OwnedSandbox | null = null;
  try {
    enter(trial, "environment");
    const starting = attempt.begin({});
    const [made] = await Promise.all([
      createProcessSandbox(
        join(ctx.config.dataDir, "sandboxes", trial.change.sessionId),
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
    trial.atWork = null;
    // Left behind on an error: the next start of the runner clears the folder.
    void sandbox?.destroy().catch(() => undefined);
  }
}

function enter(trial: Trial, phase: SandboxPhase): Date {
  const since = new Date();
  trial.atWork = { phase, since };
  return since;
}

async function inSandbox(
  ctx: RunnerContext,
  attempt: RepairAttempt,
  sandbox: ProcessSandbox,
): Promise<AttemptOutcome> {
  const { trial, task, times, directory } = attempt;
  const session = await attempt.session.open({ verifyS: 0 });
  times.agentStartedAt = enter(trial, "agent");
  const report = await runAgentUntilDeadline(ctx, attempt, sandbox, session);
  times.agentEndedAt = enter(trial, "verifier");
  attempt.left.turns = report.turns;
  const isCancelled = attempt.signal.aborted;
  if (report.failure && !isCancelled)
    throw new TrialError(report.failure.exceptionType, report.failure.message);
  const termination: Termination = isCancelled ? "cancelled" : report.termination;
  const source = await sandbox.read(task.path);
  attempt.left.source = source;
  const verdict = isCancelled ? null : await verifyRepair(ctx.verifier, task, source);
  times.verifierEndedAt = enter(trial, "end");
  const completed = await attempt.session.complete({
    reward: verdict ? { reward: verdict.reward } : null,
    termination,
  });
  times.endedAt = new Date();
  writeHarborFiles(ctx.jobs, {
    root: join(ctx.config.dataDir, directory),
    trial,
    run: attempt.run,
    task,
    source,
    verdict,
    completed,
    exception: termination === "timeout" ? agentTimeout(attempt.run.rolloutTimeoutS) : null,
    turns: report.turns,
    termination,
    times,
  });
  return outcomeOf(attempt, completed, {
    reward: verdict?.reward ?? null,
    termination,
    turns: report.turns,
    toolS: report.toolS,
  });
}

async function runAgentUntilDeadline(
  ctx: RunnerContext,
  { run, trial, signal }: RepairAttempt,
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

/** Freezes what the attempt left at the proxy and says in its folder why there is no reward; as far as that still works. */
async function abandon(
  ctx: RunnerContext,
  attempt: RepairAttempt,
  failure: RolloutError,
): Promise<FailedAttempt> {
  const { trial, directory, times, signal } = attempt;
  const termination: Termination = signal.aborted ? "cancelled" : "infra-error";
  const completed = await attempt.session
    .complete({ reward: null, termination }, { patienceMs: 10_000 })
    .catch(() => null);
  times.endedAt = new Date();
  try {
    writeHarborFiles(ctx.jobs, {
      root: join(ctx.config.dataDir, directory),
      trial,
      run: attempt.run,
      task: attempt.task,
      ...attempt.left,
      verdict: null,
      completed,
      exception: failure,
      termination,
      times,
    });
    return { failure, directory, ...sampledBefore(completed, attempt.left.turns) };
  } catch (error) {
    ctx.log.warn(
      { err: error, sessionId: trial.change.sessionId },
      "the files of a failed attempt could not be written",
    );
    return { failure, directory: null };
  }
}
