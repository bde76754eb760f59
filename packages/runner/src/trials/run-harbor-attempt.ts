import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunnerContext } from "#context.ts";
import { mergeFlags } from "#integrity/merge-flags.ts";
import { LiveOutput } from "#recordings/live-output.ts";
import { TerminalRecording } from "#recordings/terminal-recording.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import { scaffoldOf } from "#scaffolds/harbor/scaffold-of.ts";
import { AttemptShells } from "#shells/attempt-shells.ts";
import { noteShell } from "#shells/note-shell.ts";
import { loadRunnableTask } from "#tasks/load-runnable-task.ts";
import { scoreOf } from "#tasks/parse-reward.ts";
import { planTask } from "#tasks/plan-task.ts";
import { digestTask } from "#tasks/task-digest.ts";
import {
  type Attempt,
  type AttemptOutcome,
  completeSession,
  type FailedAttempt,
  outcomeOf,
  sessionOf,
} from "#trials/attempt.ts";
import { collectArtifacts } from "#trials/collect-artifacts.ts";
import { enterPhase, type HarborAttempt, loadedOf, say } from "#trials/harbor-attempt.ts";
import { judgeAgent, judgeVerified, prepareForAgent } from "#trials/judge-agent.ts";
import { moveTrial } from "#trials/move-trial.ts";
import { removeSandbox } from "#trials/remove-sandbox.ts";
import { agentLimitS, runScaffold } from "#trials/run-scaffold.ts";
import { startEnvironment } from "#trials/start-environment.ts";
import { TrialError, toRolloutError } from "#trials/trial-error.ts";
import { verifyAttempt } from "#trials/verify-attempt.ts";
import { waitForHealth } from "#trials/wait-for-health.ts";
import { writeAtif } from "#trials/write-atif.ts";
import { writeHarborTrial } from "#trials/write-harbor-trial.ts";

const ABANDON_MS = 10_000;

/** One attempt of a task in Harbor's format. Never throws: what infrastructure did to it is a {@link FailedAttempt}. */
export async function runHarborAttempt(
  ctx: RunnerContext,
  base: Attempt,
  folder: string,
): Promise<AttemptOutcome | FailedAttempt> {
  const attempt: HarborAttempt = {
    ...base,
    root: join(ctx.config.dataDir, base.directory),
    folder,
    scaffold: scaffoldOf(base.run.agent),
    loaded: null,
    progress: { turns: 0, toolS: 0 },
    termination: "infra-error",
    exception: null,
    rewards: null,
    completed: null,
    hidden: null,
    flags: [],
    shells: new AttemptShells({ onOpened: (shell) => noteShell(attempt, shell) }),
    log: [],
    secrets: [],
  };
  let sandbox: Sandbox | null = null;
  try {
    await mkdir(attempt.root, { recursive: true });
    await moveTrial(ctx, base.trial, "running", {
      startedAt: base.times.startedAt.toISOString(),
      directory: base.directory,
      error: null,
    });
    attempt.loaded = await load(ctx, folder, base.run.rolloutTimeoutS);
    for (const warning of attempt.loaded.task.warnings) say(attempt, warning);
    enterPhase(attempt, "environment", "The sandbox is made", { sandbox: null });
    sandbox = await startEnvironment(ctx, attempt);
    say(attempt, `The sandbox ${sandbox.name} has started`);
    return await inSandbox(ctx, attempt, sandbox);
  } catch (error) {
    if (ctx.closing.aborted) return { failure: toRolloutError(error), directory: null };
    return await abandon(ctx, attempt, error);
  } finally {
    if (sandbox) {
      enterPhase(attempt, "end", "The sandbox is removed", { sandbox });
      await removeSandbox(ctx, attempt, sandbox);
    }
    attempt.trial.inSandbox = null;
  }
}

/** How long after the agent a session may still be needed: a sandbox of the verifier's own has to be built and started. */
function verifyLimitS(attempt: HarborAttempt): number {
  const { plan, step } = loadedOf(attempt);
  const limitS = step.verifier.timeoutS ?? attempt.run.rolloutTimeoutS;
  return step.verifierEnvironment ? limitS + (plan.buildTimeoutS ?? limitS) : limitS;
}

async function load(
  ctx: Pick<RunnerContext, "sandboxes">,
  folder: string,
  rolloutTimeoutS: number,
) {
  const task = await loadRunnableTask(folder, ctx.sandboxes.abilities);
  const plan = planTask(task, { agent: { max: rolloutTimeoutS } });
  const [step] = plan.steps;
  if (!step) throw new TrialError("AgentSetupError", `${folder} has no step.`);
  return { task, plan, step, checksum: await digestTask(folder) };
}

async function inSandbox(
  ctx: RunnerContext,
  attempt: HarborAttempt,
  sandbox: Sandbox,
): Promise<AttemptOutcome> {
  const { task, step } = loadedOf(attempt);
  const { times, root, signal } = attempt;
  const { healthcheck, workdir } = task.config.environment;
  if (healthcheck) await waitForHealth(sandbox, healthcheck, signal);
  const session = await attempt.proxy.link.openSession(
    sessionOf(ctx, attempt, { verifyS: verifyLimitS(attempt) }),
  );
  attempt.secrets.push(session.apiKey);
  const looking = { sandbox, user: step.agent.user, signal };
  const base = await prepareForAgent(attempt, looking);
  times.agentStartedAt = new Date();
  const output = outputOf(attempt, sandbox);
  enterPhase(attempt, "agent", `The agent ${attempt.scaffold.name} starts`, {
    sandbox,
    limitS: agentLimitS(attempt),
    output,
  });
  attempt.shells.enter(sandbox);
  const recording =
    attempt.scaffold.name === "mini" ? new TerminalRecording(root, attempt.secrets) : undefined;
  try {
    await runScaffold(ctx, attempt, sandbox, { session, recording });
  } finally {
    recording?.close();
  }
  times.agentEndedAt = new Date();
  await output?.stop();
  if (attempt.termination !== "cancelled") {
    await judgeAgent(attempt, looking, base);
    const takeLogs = () => sandbox.download("/logs/agent", join(root, "agent"));
    await (recording ? recording.keepDuring(takeLogs) : takeLogs());
    const wanted = { hooks: step.collect, artifacts: step.artifacts, workdir };
    const { artifacts, problems } = await collectArtifacts(sandbox, wanted, root, signal);
    for (const problem of problems) say(attempt, problem);
    await verifyAttempt(ctx, attempt, sandbox, artifacts);
    await judgeVerified(ctx, attempt);
  }
  times.verifierEndedAt = new Date();
  return await conclude(ctx, attempt);
}

/** The agent's log, to be looked at while it works. */
function outputOf({ scaffold, root }: HarborAttempt, sandbox: Sandbox): LiveOutput | null {
  if (scaffold.output === undefined) return null;
  const from = `/logs/agent/${scaffold.output}`;
  return new LiveOutput(sandbox, { from, to: join(root, "agent", scaffold.output) });
}

async function conclude(ctx: RunnerContext, attempt: HarborAttempt): Promise<AttemptOutcome> {
  // What happened in the sandbox is judged from here on: nobody may change it any more.
  await attempt.shells.leave("The trial has ended.");
  const { times, rewards, termination, progress } = attempt;
  const reward = rewards && scoreOf(rewards);
  attempt.flags = mergeFlags(attempt.flags);
  const completed = await completeSession(ctx, attempt, {
    reward: rewards && { ...rewards, reward: reward ?? 0 },
    termination,
  });
  attempt.completed = completed;
  times.endedAt = new Date();
  await writeAtif(attempt.root, attempt.scaffold);
  writeHarborTrial(ctx.jobs, attempt, attempt.exception);
  return outcomeOf(attempt, completed, { reward, termination, ...progress }, attempt.flags);
}

/** Freezes what the attempt left at the proxy and says in its folder why there is no reward; as far as that still works. */
async function abandon(
  ctx: RunnerContext,
  attempt: HarborAttempt,
  error: unknown,
): Promise<FailedAttempt> {
  const { trial, times, signal, directory } = attempt;
  const failure = toRolloutError(error);
  attempt.termination = signal.aborted ? "cancelled" : "infra-error";
  attempt.rewards = null;
  await attempt.shells.leave("The trial has ended.");
  attempt.flags = mergeFlags(attempt.flags);
  say(attempt, `${failure.exception_type}: ${failure.exception_message}`);
  attempt.completed = await completeSession(
    ctx,
    attempt,
    { reward: null, termination: attempt.termination },
    { patienceMs: ABANDON_MS },
  ).catch(() => null);
  times.endedAt = new Date();
  try {
    writeHarborTrial(ctx.jobs, attempt, failure);
    return { failure, directory };
  } catch (cause) {
    ctx.log.warn(
      { err: cause, sessionId: trial.change.sessionId },
      "the files of a failed attempt could not be written",
    );
    return { failure, directory: null };
  }
}
