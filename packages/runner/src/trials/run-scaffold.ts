import type { RunnerContext } from "#context.ts";
import type { TerminalRecording } from "#recordings/terminal-recording.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import { agentTimeout } from "#trials/attempt.ts";
import { type HarborAttempt, loadedOf, say } from "#trials/harbor-attempt.ts";
import { taskEnv } from "#trials/start-environment.ts";
import { TrialError } from "#trials/trial-error.ts";

/** Seconds that the agent may take. */
export function agentLimitS(attempt: HarborAttempt): number {
  const { timeoutS } = loadedOf(attempt).step.agent;
  return Math.min(attempt.run.rolloutTimeoutS, timeoutS ?? Number.POSITIVE_INFINITY);
}

/** Runs the agent until it ends, its time is over or the run is cancelled. Throws what infrastructure did to it. */
export async function runScaffold(
  ctx: Pick<RunnerContext, "chat">,
  attempt: HarborAttempt,
  sandbox: Sandbox,
  {
    session,
    recording,
  }: {
    session: { baseUrl: string; apiKey: string };
    recording?: TerminalRecording | undefined;
  },
): Promise<void> {
  const { task, step } = loadedOf(attempt);
  const { run, scaffold, signal, progress } = attempt;
  const timeoutS = agentLimitS(attempt);
  const deadline = AbortSignal.timeout(timeoutS * 1_000);
  try {
    const ending = await scaffold.run({
      sandbox,
      step,
      solutionEnv: () => taskEnv(attempt, task.config.solution.env, "[solution].env"),
      chat: ctx.chat,
      session,
      model: run.pool.modelName,
      window: run.pool.maxModelLen,
      maxTurns: run.maxTurns,
      signal: AbortSignal.any([deadline, signal]),
      recording,
      progress,
    });
    attempt.termination = ending.termination;
    attempt.exception = ending.exception;
  } catch (error) {
    if (!signal.aborted && (error instanceof TrialError || !deadline.aborted)) throw error;
    attempt.termination = signal.aborted ? "cancelled" : "timeout";
    attempt.exception = signal.aborted ? null : agentTimeout(timeoutS);
  }
  say(attempt, `The agent ended after ${progress.turns} turns: ${attempt.termination}`);
}
