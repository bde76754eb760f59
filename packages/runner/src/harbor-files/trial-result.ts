import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  ModelUse,
  Phase,
  StepRecord,
  TrialException,
  TrialRecord,
} from "#harbor-files/trial-record.ts";
import { withoutSecrets } from "#tasks/env-templates.ts";
import type { Rewards } from "#tasks/parse-reward.ts";

/** Harbor's TrialConfig with what differs from its defaults: `config.json`, and a part of `result.json`. */
export function buildTrialConfig(record: TrialRecord) {
  const { root, task, agent, model, environment, verifierEnv, artifacts } = record;
  return {
    task: { path: task.path, source: task.source },
    trial_name: basename(root),
    trials_dir: dirname(root),
    timeout_multiplier: record.timeoutMultiplier ?? 1,
    agent: {
      name: agent.name,
      model_name: model.provider === null ? model.name : `${model.provider}/${model.name}`,
      ...(agent.env && { env: withoutSecrets(agent.env) }),
    },
    environment:
      "type" in environment
        ? { type: environment.type }
        : { type: null, import_path: environment.importPath },
    verifier: { disable: false, ...(verifierEnv && { env: withoutSecrets(verifierEnv) }) },
    artifacts: artifacts ?? [],
    job_id: uuidOf(record.jobKey),
  };
}

/** Harbor's TrialResult: `result.json`. */
export function buildTrialResult(record: TrialRecord) {
  const { root, task, agent, model, steps } = record;
  return {
    id: uuidOf(record.trialKey),
    task_name: task.name,
    trial_name: basename(root),
    trial_uri: pathToFileURL(root).href,
    task_id: { path: task.path },
    source: task.source,
    task_checksum: task.checksum,
    config: buildTrialConfig(record),
    agent_info: {
      name: agent.name,
      version: agent.version,
      model_info: { name: model.name, provider: model.provider },
    },
    // Of several steps each has its own: Harbor would count the tokens twice.
    agent_result: steps ? null : contextOf(record.use, record.metadata),
    verifier_result: verdictOf(record.rewards),
    verifier_environment_mode: record.verifierMode,
    exception_info: exceptionOf(record.exception),
    started_at: record.startedAt.toISOString(),
    finished_at: record.finishedAt.toISOString(),
    environment_setup: phaseOf(record.environmentSetup),
    agent_setup: phaseOf(record.agentSetup),
    agent_execution: phaseOf(record.agentExecution),
    verifier: phaseOf(record.verifier),
    step_results: steps?.map((step) => stepResult(step, record.metadata)) ?? null,
  };
}
export type TrialResult = ReturnType<typeof buildTrialResult>;

function stepResult(step: StepRecord, metadata: TrialRecord["metadata"]) {
  return {
    step_name: step.name,
    agent_result: contextOf(step.use, metadata),
    verifier_result: verdictOf(step.rewards),
    exception_info: exceptionOf(step.exception),
    agent_execution: phaseOf(step.agentExecution),
    verifier: phaseOf(step.verifier),
  };
}

const contextOf = (use: ModelUse | null, metadata: TrialRecord["metadata"]) => ({
  n_input_tokens: use?.inputTokens ?? null,
  n_cache_tokens: use?.cachedTokens ?? null,
  n_output_tokens: use?.outputTokens ?? null,
  cost_usd: null,
  rollout_details: null,
  metadata,
});

const verdictOf = (rewards: Rewards | null) => (rewards ? { rewards } : null);

const exceptionOf = (exception: TrialException | null) =>
  exception && { exception_traceback: "", ...exception };

const phaseOf = (phase: Phase) =>
  phase && { started_at: phase[0].toISOString(), finished_at: phase[1].toISOString() };

/** A UUID of the form of version 4 that follows from a text. */
export function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
