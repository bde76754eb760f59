import { join } from "node:path";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import type { HarborContext } from "#context.ts";
import { LiveOutput } from "#recordings/live-output.ts";
import { TerminalRecording } from "#recordings/terminal-recording.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import type { PlannedStep } from "#tasks/plan-task.ts";
import { missedMinReward } from "#tasks/step-rewards.ts";
import { collectArtifacts } from "#trials/collect-artifacts.ts";
import {
  beginStep,
  enterPhase,
  type HarborAttempt,
  loadedOf,
  type StepRun,
  say,
} from "#trials/harbor-attempt.ts";
import { judgeAgent, judgeVerified, prepareForAgent } from "#trials/judge-agent.ts";
import { clearStep, setUpStep } from "#trials/prepare-step.ts";
import { agentLimitS, runScaffold } from "#trials/run-scaffold.ts";
import { verifyAttempt } from "#trials/verify-attempt.ts";

/**
 * Runs a task's steps one after the other in the sandbox that they share, until one is below its least reward or the run is
 * cancelled. A step that infrastructure fails is thrown: what the steps before it earned is no reward of the trial.
 */
export async function runSteps(
  ctx: HarborContext,
  attempt: HarborAttempt,
  sandbox: Sandbox,
  session: OpenedSession,
): Promise<void> {
  for (const step of loadedOf(attempt).plan.steps) {
    const run = await runStep(ctx, attempt, step, { sandbox, session });
    if (run.termination === "cancelled") return;
    const missed = missedMinReward(run.rewards, step.minRewards);
    if (missed === null) continue;
    say(attempt, `Step ${step.name} ends the trial: ${missed}`);
    return;
  }
}

async function runStep(
  ctx: HarborContext,
  attempt: HarborAttempt,
  step: PlannedStep,
  { sandbox, session }: { sandbox: Sandbox; session: OpenedSession },
): Promise<StepRun> {
  const { scaffold, times, signal } = attempt;
  const isFirst = attempt.steps.length === 0;
  const run = beginStep(attempt, step);
  if (step.name !== null) await makeReady(attempt, run, sandbox, isFirst);
  const looking = { sandbox, user: step.agent.user, signal };
  const before = await prepareForAgent(attempt, run, looking);
  run.agentStartedAt = new Date();
  times.agentStartedAt ??= run.agentStartedAt;
  const starts = `The agent ${scaffold.name} starts`;
  const output = outputOf(attempt, run, sandbox);
  if (step.name === null) {
    const limitS = agentLimitS(attempt, run);
    enterPhase(attempt, "agent", starts, { sandbox, limitS, output });
  } else say(attempt, starts);
  attempt.shells.enter(sandbox);
  const recording =
    scaffold.name === "mini" ? new TerminalRecording(run.root, attempt.secrets) : undefined;
  try {
    await runScaffold(ctx, attempt, run, { sandbox, session, recording });
  } finally {
    recording?.close();
  }
  run.agentEndedAt = new Date();
  await output?.stop();
  times.agentEndedAt = run.agentEndedAt;
  if (run.termination !== "cancelled") {
    await judgeAgent(attempt, run, looking, before);
    const artifacts = await carryOut(attempt, run, { sandbox, recording });
    await verifyAttempt(ctx, attempt, run, { sandbox, artifacts });
    await judgeVerified(ctx, attempt, run);
  }
  run.verifierEndedAt = new Date();
  times.verifierEndedAt = run.verifierEndedAt;
  return run;
}

async function makeReady(
  attempt: HarborAttempt,
  run: StepRun,
  sandbox: Sandbox,
  isFirst: boolean,
): Promise<void> {
  const { signal } = attempt;
  enterPhase(attempt, "agent", "It is set up", { sandbox, of: run });
  if (!isFirst) await clearStep(sandbox, signal);
  const timeoutS = loadedOf(attempt).plan.buildTimeoutS;
  await setUpStep(sandbox, run.step, { timeoutS, signal });
}

/** The agent's log, to be looked at while it works. */
function outputOf(
  { scaffold }: HarborAttempt,
  { root }: StepRun,
  sandbox: Sandbox,
): LiveOutput | null {
  if (scaffold.output === undefined) return null;
  const from = `/logs/agent/${scaffold.output}`;
  return new LiveOutput(sandbox, { from, to: join(root, "agent", scaffold.output) });
}

async function carryOut(
  attempt: HarborAttempt,
  { step, root }: StepRun,
  { sandbox, recording }: { sandbox: Sandbox; recording: TerminalRecording | undefined },
) {
  const { workdir } = loadedOf(attempt).task.config.environment;
  const takeLogs = () => sandbox.download("/logs/agent", join(root, "agent"));
  await (recording ? recording.keepDuring(takeLogs) : takeLogs());
  const wanted = { hooks: step.collect, artifacts: step.artifacts, workdir };
  const { artifacts, problems } = await collectArtifacts(sandbox, wanted, root, attempt.signal);
  for (const problem of problems) say(attempt, problem);
  return artifacts;
}
