import { basename } from "node:path";
import type { RolloutError } from "@liverl/contract/rollout";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { JobFiles, TrialOfJob } from "#harbor-files/job-files.ts";
import { trajectoryOfStep, useOf } from "#harbor-files/step-trajectory.ts";
import type { StepRecord, TrialRecord } from "#harbor-files/trial-record.ts";
import { writeTrialFiles } from "#harbor-files/write-trial-files.ts";
import { taskFolderOf } from "#tasks/task-folder.ts";
import type { HarborAttempt, StepRun } from "#trials/harbor-attempt.ts";

interface Ending {
  /** Of the trial; what the agent of a step did wrong stands at the step. */
  exception: RolloutError | null;
  /** Null where the session is not over, or left none. */
  trajectory: ProxyTrajectory | null;
}

/** The files of a Harbor task's trial, as far as it came. */
export function writeHarborTrial(jobs: JobFiles, attempt: HarborAttempt, ending: Ending): void {
  const record = recordOf(attempt, ending);
  jobs.add(record, writeTrialFiles(record));
}

export function jobOf({ root, trial, run, scaffold }: HarborAttempt): TrialOfJob {
  const { runId, mode, step } = trial.request;
  return {
    root,
    jobKey: `${runId}/${mode}/${step}`,
    agent: { name: scaffold.name, version: scaffold.version },
    model: { name: run.pool.modelName, provider: "liverl" },
    environment: { type: "docker" },
  };
}

function recordOf(attempt: HarborAttempt, ending: Ending): TrialRecord {
  const { trial, loaded, completed, times } = attempt;
  const { startedAt, agentStartedAt, agentEndedAt, verifierEndedAt } = times;
  // A joined runner has a copy of it.
  const folder = taskFolderOf(trial.request.taskRef) ?? attempt.folder;
  // Of several steps each has its own.
  const hasSteps = loadedHasSteps(attempt);
  const only = hasSteps ? undefined : loaded?.plan.steps[0];
  return {
    ...jobOf(attempt),
    trialKey: trial.change.sessionId,
    task: {
      name: loaded?.task.name ?? basename(folder),
      path: folder,
      source: loaded?.task.config.source ?? null,
      checksum: loaded?.checksum ?? "",
    },
    verifierMode: only?.verifier.mode ?? null,
    verifierEnv: only?.verifier.env ?? loaded?.task.config.verifier.env,
    artifacts: only?.artifacts ?? loaded?.task.config.artifacts,
    use: completed && {
      inputTokens: completed.tokensTotal - completed.tokensSampled,
      cachedTokens: null,
      outputTokens: completed.tokensSampled,
    },
    metadata: {
      rollout_id: trial.request.rolloutId,
      termination: attempt.termination,
      turns: attempt.progress.turns,
      integrity: attempt.flags,
      hidden: attempt.hidden,
    },
    rewards: attempt.rewards,
    exception: ending.exception,
    startedAt,
    finishedAt: times.endedAt ?? new Date(),
    environmentSetup: phaseOf(startedAt, agentStartedAt),
    agentSetup: null,
    agentExecution: hasSteps ? null : phaseOf(agentStartedAt, agentEndedAt),
    verifier: hasSteps ? null : phaseOf(agentEndedAt, verifierEndedAt),
    steps: hasSteps
      ? attempt.steps.map((one) => stepRecord(one, ending, one === attempt.steps.at(-1)))
      : null,
    log: attempt.log,
    secrets: attempt.secrets,
  };
}

const loadedHasSteps = ({ loaded }: HarborAttempt) => loaded?.task.hasSteps ?? false;

/** What ended the trial stands at its last step, too, as in Harbor. */
function stepRecord(run: StepRun, { exception, trajectory }: Ending, isLast: boolean): StepRecord {
  const { step, rewards, agentStartedAt, agentEndedAt, verifierEndedAt } = run;
  const name = step.name ?? "";
  return {
    name,
    use: trajectory && useOf(trajectoryOfStep(trajectory, name)),
    rewards,
    exception: (isLast ? exception : null) ?? run.exception,
    agentExecution: phaseOf(agentStartedAt, agentEndedAt),
    verifier: phaseOf(agentEndedAt, verifierEndedAt),
  };
}

const phaseOf = (from: Date | undefined, to: Date | undefined) =>
  from && to ? ([from, to] as const) : null;
