import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { HarborContext, RunnerContext } from "#context.ts";
import { mergeFlags } from "#integrity/merge-flags.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import { scaffoldOf } from "#scaffolds/harbor/scaffold-of.ts";
import { AttemptShells } from "#shells/attempt-shells.ts";
import { noteShell } from "#shells/note-shell.ts";
import { loadRunnableTask } from "#tasks/load-runnable-task.ts";
import { findScore, type Rewards, scoreOf } from "#tasks/parse-reward.ts";
import { planTask } from "#tasks/plan-task.ts";
import { combineStepRewards } from "#tasks/step-rewards.ts";
import { digestTask } from "#tasks/task-digest.ts";
import {
  type Attempt,
  type AttemptOutcome,
  type FailedAttempt,
  outcomeOf,
  sampledBefore,
} from "#trials/attempt.ts";
import { enterPhase, type HarborAttempt, loadedOf, say } from "#trials/harbor-attempt.ts";
import { endingOf } from "#trials/own-ends.ts";
import { prepareHarbor } from "#trials/prepare-harbor.ts";
import { removeSandbox } from "#trials/remove-sandbox.ts";
import { runSteps } from "#trials/run-steps.ts";
import { besidesAgentS, startEnvironment } from "#trials/start-environment.ts";
import { secondsOf, terminationOf } from "#trials/step-sums.ts";
import { toRolloutError } from "#trials/trial-error.ts";
import { waitForHealth } from "#trials/wait-for-health.ts";
import { readTrajectory, writeAtif } from "#trials/write-atif.ts";
import { writeHarborTrial } from "#trials/write-harbor-trial.ts";

const ABANDON_MS = 10_000;

/** One attempt of a task in Harbor's format. Never throws: what infrastructure did to it is a {@link FailedAttempt}. */
export async function runHarborAttempt(
  ctx: HarborContext,
  base: Attempt,
  folder: string,
): Promise<AttemptOutcome | FailedAttempt> {
  const attempt = newHarborAttempt(ctx, base, folder);
  let sandbox: Sandbox | null = null;
  try {
    await mkdir(attempt.root, { recursive: true });
    await base.begin({ directory: base.directory });
    attempt.loaded = await load(ctx, folder, base.run.rolloutTimeoutS);
    for (const warning of attempt.loaded.task.warnings) say(attempt, warning);
    enterPhase(attempt, "environment", "The sandbox is made", { sandbox: null });
    await prepareHarbor(ctx, attempt);
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

/** Before anything was done. */
export function newHarborAttempt(
  { config }: Pick<HarborContext, "config">,
  base: Attempt,
  folder: string,
): HarborAttempt {
  const attempt: HarborAttempt = {
    ...base,
    root: join(config.dataDir, base.directory),
    folder,
    scaffold: scaffoldOf(base.run.agent),
    harbor: null,
    loaded: null,
    steps: [],
    progress: { turns: 0, toolS: 0 },
    termination: "infra-error",
    rewards: null,
    completed: null,
    hidden: null,
    base: null,
    flags: [],
    shells: new AttemptShells({ onOpened: (shell) => noteShell(attempt, shell) }),
    log: [],
    secrets: [],
  };
  return attempt;
}

async function load(
  ctx: Pick<RunnerContext, "sandboxes">,
  folder: string,
  rolloutTimeoutS: number,
) {
  const task = await loadRunnableTask(folder, ctx.sandboxes.abilities);
  const plan = planTask(task, { agent: { max: rolloutTimeoutS } });
  return { task, plan, checksum: await digestTask(folder) };
}

async function inSandbox(
  ctx: HarborContext,
  attempt: HarborAttempt,
  sandbox: Sandbox,
): Promise<AttemptOutcome> {
  const { task, plan } = loadedOf(attempt);
  const { run, signal } = attempt;
  const { healthcheck } = task.config.environment;
  if (healthcheck) await waitForHealth(sandbox, healthcheck, { signal });
  const session = await attempt.session.open({ verifyS: besidesAgentS(plan, run.rolloutTimeoutS) });
  attempt.secrets.push(session.apiKey);
  await runSteps(ctx, attempt, sandbox, session);
  return await conclude(ctx, attempt);
}

async function conclude(ctx: HarborContext, attempt: HarborAttempt): Promise<AttemptOutcome> {
  // What happened in the sandbox is judged from here on: nobody may change it any more.
  await attempt.shells.leave("The trial has ended.");
  const { times, steps, progress } = attempt;
  const termination = terminationOf(steps);
  attempt.termination = termination;
  // Given up in the middle, it has no verdict on the whole.
  attempt.rewards = termination === "cancelled" ? null : rewardsOf(attempt);
  const { rewards } = attempt;
  // Steps that gave empty rewards have none together, which is told as a single one's is.
  const reward = termination === "cancelled" ? null : scoreOf(rewards ?? {});
  attempt.flags = mergeFlags(attempt.flags);
  const completed = await attempt.session.complete({
    reward: rewards && { ...rewards, reward: reward ?? 0 },
    termination,
  });
  attempt.completed = completed;
  times.endedAt = new Date();
  const trajectory = await readTrajectory(attempt.root);
  for (const run of steps) await writeAtif(run, attempt.scaffold, trajectory);
  const [only] = loadedOf(attempt).task.hasSteps ? [] : steps;
  writeHarborTrial(ctx.jobs, attempt, { exception: only?.exception ?? null, trajectory });
  const outcome = outcomeOf(
    attempt,
    completed,
    { reward, termination, ...progress },
    attempt.flags,
  );
  return { ...outcome, timings: outcome.timings && { ...outcome.timings, ...secondsOf(steps) } };
}

/** Of a task of one step its own, also where its tests gave several rewards. */
function rewardsOf(attempt: HarborAttempt): Rewards | null {
  const { task, plan } = loadedOf(attempt);
  const rewards = attempt.steps.map((run) => run.rewards);
  return task.hasSteps ? combineStepRewards(plan.rewardStrategy, rewards) : (rewards[0] ?? null);
}

/** Freezes what the attempt left at the proxy and says in its folder why there is no reward; as far as that still works. */
export async function abandon(
  ctx: Pick<HarborContext, "jobs" | "log">,
  attempt: HarborAttempt,
  error: unknown,
): Promise<FailedAttempt> {
  const { trial, times, signal, directory } = attempt;
  const failure = toRolloutError(error);
  attempt.termination = signal.aborted ? "cancelled" : endingOf(failure);
  // Several of which none trains stay what the tests said: as in Harbor, people see them.
  const isUnscored = attempt.rewards !== null && findScore(attempt.rewards) === null;
  if (!isUnscored) attempt.rewards = null;
  await attempt.shells.leave("The trial has ended.");
  attempt.flags = mergeFlags(attempt.flags);
  say(attempt, `${failure.exception_type}: ${failure.exception_message}`);
  attempt.completed = await attempt.session
    .complete({ reward: null, termination: attempt.termination }, { patienceMs: ABANDON_MS })
    .catch(() => null);
  times.endedAt = new Date();
  try {
    const trajectory = attempt.completed && (await readTrajectory(attempt.root));
    writeHarborTrial(ctx.jobs, attempt, { exception: failure, trajectory });
    const sampled = sampledBefore(attempt.completed, attempt.progress.turns);
    return { failure, directory, flags: attempt.flags, ...sampled };
  } catch (cause) {
    ctx.log.warn(
      { err: cause, sessionId: trial.change.sessionId },
      "the files of a failed attempt could not be written",
    );
    return { failure, directory: null, flags: attempt.flags };
  }
}
