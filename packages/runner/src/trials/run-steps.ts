import { join } from "node:path";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import type { HarborContext } from "#context.ts";
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
import { runScaffold } from "#trials/run-scaffold.ts";
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
  if (step.name === null) enterPhase(attempt, "agent", starts, sandbox.name);
  else say(attempt, starts);
  await runScaffold(ctx, attempt, run, { sandbox, session });
  run.agentEndedAt = new Date();
  times.agentEndedAt = run.agentEndedAt;
  if (run.termination !== "cancelled") {
    await judgeAgent(attempt, run, looking, before);
    const artifacts = await carryOut(attempt, run, sandbox);
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
  enterPhase(attempt, "agent", "It is set up", sandbox.name, run);
  if (!isFirst) await clearStep(sandbox, signal);
  const timeoutS = loadedOf(attempt).plan.buildTimeoutS;
  await setUpStep(sandbox, run.step, { timeoutS, signal });
}

async function carryOut(attempt: HarborAttempt, { step, root }: StepRun, sandbox: Sandbox) {
  const { workdir } = loadedOf(attempt).task.config.environment;
  await sandbox.download("/logs/agent", join(root, "agent"));
  const wanted = { hooks: step.collect, artifacts: step.artifacts, workdir };
  const { artifacts, problems } = await collectArtifacts(sandbox, wanted, root, attempt.signal);
  for (const problem of problems) say(attempt, problem);
  return artifacts;
}
