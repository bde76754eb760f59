import type { RunnerContext } from "#context.ts";
import type { TerminalRecording } from "#recordings/terminal-recording.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import { agentTimeout } from "#trials/attempt.ts";
import {
  blameAgent,
  type HarborAttempt,
  loadedOf,
  type StepRun,
  say,
} from "#trials/harbor-attempt.ts";
import { hasEndedItself } from "#trials/own-ends.ts";
import { taskEnv } from "#trials/start-environment.ts";
import { TrialError } from "#trials/trial-error.ts";

/** Seconds that the agent may take at a step: the run's limit is that of all steps together. */
export function agentLimitS(attempt: HarborAttempt, { step }: StepRun): number {
  const leftS = Math.max(0, attempt.run.rolloutTimeoutS - workedS(attempt));
  return Math.min(leftS, step.agent.timeoutS ?? Number.POSITIVE_INFINITY);
}

/** Runs the agent until it ends, its time is over or the run is cancelled. Throws what infrastructure did to it. */
export async function runScaffold(
  ctx: Pick<RunnerContext, "chat">,
  attempt: HarborAttempt,
  at: StepRun,
  {
    sandbox,
    session,
    recording,
  }: {
    sandbox: Sandbox;
    session: { baseUrl: string; apiKey: string };
    recording?: TerminalRecording | undefined;
  },
): Promise<void> {
  const { task } = loadedOf(attempt);
  const { step } = at;
  const { run, scaffold, signal, progress } = attempt;
  const timeoutS = agentLimitS(attempt, at);
  if (timeoutS === 0) {
    // The tests of the step run all the same: what is not done has to cost its reward.
    at.termination = "timeout";
    at.exception = agentTimeout(run.rolloutTimeoutS);
    say(attempt, "The run's time limit was used up by the steps before");
    return;
  }
  const deadline = AbortSignal.timeout(Math.ceil(timeoutS * 1_000));
  try {
    const ending = await scaffold.run({
      sandbox,
      root: at.root,
      task,
      harbor: attempt.harbor,
      step,
      solutionEnv: () => taskEnv(attempt, task.config.solution.env, "[solution].env"),
      chat: ctx.chat,
      session: { ...session, taskStep: step.name },
      model: run.pool.modelName,
      window: run.pool.maxModelLen,
      maxTurns: run.maxTurns,
      signal: AbortSignal.any([deadline, signal]),
      recording,
      progress,
    });
    at.termination = ending.termination;
    at.exception = ending.exception;
  } catch (error) {
    if (!signal.aborted && hasEndedItself(error)) return blameAgent(attempt, at, error);
    if (!signal.aborted && (error instanceof TrialError || !deadline.aborted)) throw error;
    at.termination = signal.aborted ? "cancelled" : "timeout";
    at.exception = signal.aborted ? null : agentTimeout(Math.round(timeoutS));
  }
  say(attempt, `The agent ended after ${progress.turns} turns: ${at.termination}`);
}

/** Seconds that the agent has worked at the steps before. */
const workedS = ({ steps }: HarborAttempt) =>
  steps.reduce((sum, { agentStartedAt, agentEndedAt }) => {
    if (!agentStartedAt || !agentEndedAt) return sum;
    return sum + (agentEndedAt.getTime() - agentStartedAt.getTime()) / 1_000;
  }, 0);
