import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CompletedSession, RegisterRun } from "@liverl/contract/proxy-admin";
import type { RepairTask } from "@liverl/contract/repair-task";
import type { RolloutError } from "@liverl/contract/rollout";
import type { Termination } from "@liverl/contract/trajectory";
import { createTwoFilesPatch } from "diff";
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

const AGENT = { name: "liverl-repair", version: "1" };

/**
 * The trial in Harbor's layout: result.json, verifier/, artifacts/patch.diff. The journal has the truth of status
 * and reward, so these are written plainly, without a sync each. Four files of a few hundred bytes are in the page
 * cache in less time than a thread of the pool takes to wake for one of them.
 */
export function writeHarborFiles(attempt: FinishedAttempt): void {
  const { root, verdict, source, task } = attempt;
  writeFileSync(join(root, "result.json"), JSON.stringify(trialResult(attempt)));
  if (verdict) {
    writeFileSync(join(root, "verifier", "test-stdout.txt"), verdict.report);
    writeFileSync(join(root, "verifier", "reward.txt"), `${verdict.reward}\n`);
  }
  if (source !== null) writeFileSync(join(root, "artifacts", "patch.diff"), patchOf(task, source));
}

export function patchOf(task: RepairTask, source: string): string {
  const before = sourceOf(task.lines);
  if (before === source) return "";
  return createTwoFilesPatch(`a/${task.path}`, `b/${task.path}`, before, source);
}

/** Harbor's TrialResult. The trial's id is a UUID made of its session id, so that a repeat writes the same. */
function trialResult({
  root,
  trial,
  run,
  task,
  verdict,
  completed,
  exception,
  turns,
  termination,
  times,
}: FinishedAttempt) {
  const { sessionId } = trial.change;
  const phase = (from: Date | undefined, to: Date | undefined) =>
    from && to ? { started_at: from.toISOString(), finished_at: to.toISOString() } : null;
  return {
    id: uuidOf(sessionId),
    task_name: `liverl/${task.ref.replace("/", "-")}`,
    trial_name: sessionId,
    trial_uri: pathToFileURL(root).href,
    task_id: { path: task.ref },
    source: "repair",
    task_checksum: createHash("sha256").update(task.lines.join("\n")).digest("hex"),
    config: {
      task: { path: task.ref, source: "repair" },
      trial_name: sessionId,
      agent: { name: AGENT.name, model_name: run.pool.modelName },
      environment: { type: null, import_path: "liverl:ProcessSandbox" },
      verifier: { disable: false },
    },
    agent_info: { ...AGENT, model_info: { name: run.pool.modelName, provider: "liverl" } },
    agent_result: {
      n_input_tokens: completed ? completed.tokensTotal - completed.tokensSampled : null,
      n_cache_tokens: null,
      n_output_tokens: completed?.tokensSampled ?? null,
      cost_usd: null,
      rollout_details: null,
      metadata: {
        rollout_id: trial.request.rolloutId,
        termination,
        turns,
        verdict: verdict?.outcome ?? null,
      },
    },
    verifier_result: verdict ? { rewards: { reward: verdict.reward } } : null,
    verifier_environment_mode: "separate",
    exception_info: exception ? { ...exception, exception_traceback: "" } : null,
    started_at: times.startedAt.toISOString(),
    finished_at: (times.endedAt ?? new Date()).toISOString(),
    environment_setup: phase(times.startedAt, times.agentStartedAt),
    agent_setup: null,
    agent_execution: phase(times.agentStartedAt, times.agentEndedAt),
    verifier: verdict ? phase(times.agentEndedAt, times.verifierEndedAt) : null,
    step_results: null,
  };
}

function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
