import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CompletedSession, RegisterRun } from "@liverl/contract/proxy-admin";
import type { RepairTask } from "@liverl/contract/repair-task";
import type { RolloutError } from "@liverl/contract/rollout";
import type { Termination } from "@liverl/contract/trajectory";
import { createTwoFilesPatch } from "diff";
import type { JobFiles } from "#harbor-files/job-files.ts";
import type { TrialRecord } from "#harbor-files/trial-record.ts";
import { writeArtifactManifest, writeTrialFiles } from "#harbor-files/write-trial-files.ts";
import { sourceOf } from "#sandboxes/repair-files.ts";
import type { Trial } from "#trials/trial.ts";
import type { RepairVerdict } from "#verifier/verify-repair.ts";

/** When each phase ended; later ones are missing where the attempt did not get there. */
export interface PhaseTimes {
  queuedAt: Date;
  startedAt: Date;
  agentStartedAt?: Date;
  agentEndedAt?: Date;
  verifierEndedAt?: Date;
  endedAt?: Date;
}

export interface FinishedAttempt {
  /** Absolute; `verifier/` and `artifacts/` are there. */
  root: string;
  trial: Trial;
  run: RegisterRun;
  task: RepairTask;
  /** The repaired file; null when it could not be read. */
  source: string | null;
  verdict: RepairVerdict | null;
  completed: CompletedSession | null;
  exception: RolloutError | null;
  turns: number;
  termination: Termination;
  times: PhaseTimes;
}

/** A repair trial in Harbor's layout, with what its verifier and its sandbox left. */
export function writeHarborFiles(jobs: JobFiles, attempt: FinishedAttempt): void {
  const { root, verdict, source, task } = attempt;
  if (verdict) {
    writeFileSync(join(root, "verifier", "test-stdout.txt"), verdict.report);
    writeFileSync(join(root, "verifier", "reward.txt"), `${verdict.reward}\n`);
    if (verdict.tests.length > 0)
      writeFileSync(join(root, "verifier", "ctrf.json"), JSON.stringify(ctrfOf(verdict)));
  }
  if (source !== null) {
    writeFileSync(join(root, "artifacts", "patch.diff"), patchOf(task, source));
    writeArtifactManifest(join(root, "artifacts"), [
      {
        source: task.path,
        destination: "artifacts/patch.diff",
        type: "file",
        status: "ok",
        service: null,
        exclude: [],
      },
    ]);
  }
  const record = recordOf(attempt);
  jobs.add(record, writeTrialFiles(record));
}

/** Test by test, in the report's format: https://ctrf.io. No test is timed alone. */
function ctrfOf({ tests }: RepairVerdict) {
  const passed = tests.filter(({ isRight }) => isRight).length;
  const none = { pending: 0, skipped: 0, other: 0 };
  return {
    results: {
      tool: { name: "liverl-repair" },
      summary: { tests: tests.length, passed, failed: tests.length - passed, ...none },
      tests: tests.map(({ name, isRight, message }) => ({
        name,
        status: isRight ? "passed" : "failed",
        ...(!isRight && { message }),
      })),
    },
  };
}

export function patchOf(task: RepairTask, source: string): string {
  const before = sourceOf(task.lines);
  if (before === source) return "";
  return createTwoFilesPatch(`a/${task.path}`, `b/${task.path}`, before, source);
}

function recordOf(attempt: FinishedAttempt): TrialRecord {
  const { root, trial, run, task, verdict, completed, exception, turns, termination, times } =
    attempt;
  const { startedAt, agentStartedAt, agentEndedAt, verifierEndedAt } = times;
  const { runId, mode, step, rolloutId } = trial.request;
  const phase = (from: Date | undefined, to: Date | undefined) =>
    from && to ? ([from, to] as const) : null;
  return {
    root,
    trialKey: trial.change.sessionId,
    jobKey: `${runId}/${mode}/${step}`,
    task: {
      name: `liverl/${task.ref.replace("/", "-")}`,
      path: task.ref,
      source: "repair",
      checksum: createHash("sha256").update(task.lines.join("\n")).digest("hex"),
    },
    agent: { name: "liverl-repair", version: "1" },
    model: { name: run.pool.modelName, provider: "liverl" },
    environment: { importPath: "liverl:ProcessSandbox" },
    verifierMode: "separate",
    use: completed && {
      inputTokens: completed.tokensTotal - completed.tokensSampled,
      cachedTokens: null,
      outputTokens: completed.tokensSampled,
    },
    metadata: {
      rollout_id: rolloutId,
      termination,
      turns,
      verdict: verdict?.outcome ?? null,
    },
    rewards: verdict && { reward: verdict.reward },
    exception,
    startedAt,
    finishedAt: times.endedAt ?? new Date(),
    environmentSetup: phase(startedAt, agentStartedAt),
    agentSetup: null,
    agentExecution: phase(agentStartedAt, agentEndedAt),
    verifier: verdict && phase(agentEndedAt, verifierEndedAt),
    steps: null,
    log: logOf(attempt),
  };
}

function logOf({ times, verdict, exception, termination, turns }: FinishedAttempt): string[] {
  const at = (time: Date | undefined, text: string) =>
    time ? [`${time.toISOString()} ${text}`] : [];
  return [
    ...at(times.startedAt, "The sandbox is made"),
    ...at(times.agentStartedAt, "The agent starts"),
    ...at(times.agentEndedAt, `The agent ended after ${turns} turns: ${termination}`),
    ...(verdict
      ? at(times.verifierEndedAt, `The verifier: ${verdict.outcome}, reward ${verdict.reward}`)
      : []),
    ...(exception
      ? at(times.endedAt, `${exception.exception_type}: ${exception.exception_message}`)
      : []),
  ];
}
