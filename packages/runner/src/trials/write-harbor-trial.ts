import { basename } from "node:path";
import type { RolloutError } from "@liverl/contract/rollout";
import type { JobFiles, TrialOfJob } from "#harbor-files/job-files.ts";
import type { TrialRecord } from "#harbor-files/trial-record.ts";
import { writeTrialFiles } from "#harbor-files/write-trial-files.ts";
import { taskFolderOf } from "#tasks/task-folder.ts";
import type { HarborAttempt } from "#trials/harbor-attempt.ts";

/** The files of a Harbor task's trial, as far as it came. */
export function writeHarborTrial(
  jobs: JobFiles,
  attempt: HarborAttempt,
  exception: RolloutError | null,
): void {
  const record = recordOf(attempt, exception);
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

function recordOf(attempt: HarborAttempt, exception: RolloutError | null): TrialRecord {
  const { trial, loaded, completed, times } = attempt;
  const { startedAt, agentStartedAt, agentEndedAt, verifierEndedAt } = times;
  // A joined runner has a copy of it.
  const folder = taskFolderOf(trial.request.taskRef) ?? attempt.folder;
  const phase = (from: Date | undefined, to: Date | undefined) =>
    from && to ? ([from, to] as const) : null;
  return {
    ...jobOf(attempt),
    trialKey: trial.change.sessionId,
    task: {
      name: loaded?.task.name ?? basename(folder),
      path: folder,
      source: loaded?.task.config.source ?? null,
      checksum: loaded?.checksum ?? "",
    },
    verifierMode: loaded?.step.verifier.mode ?? null,
    verifierEnv: loaded?.step.verifier.env,
    artifacts: loaded?.step.artifacts,
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
    exception,
    startedAt,
    finishedAt: times.endedAt ?? new Date(),
    environmentSetup: phase(startedAt, agentStartedAt),
    agentSetup: null,
    agentExecution: phase(agentStartedAt, agentEndedAt),
    verifier: phase(agentEndedAt, verifierEndedAt),
    steps: null,
    log: attempt.log,
    secrets: attempt.secrets,
  };
}
