import { trimEnd } from "@liverl/contract/trim-end";
import {
  ARTIFACTS_FOLDER,
  type ArtifactConfig,
  MAIN_SERVICE,
} from "@liverl/durable/tasks/artifact-config";
import {
  type Healthcheck,
  type NetworkPolicy,
  policyOf,
} from "@liverl/durable/tasks/environment-config";
import type { CollectHook, StepConfig, TaskConfig } from "@liverl/durable/tasks/task-config";
import { effectiveTimeoutS, type TimeoutRule } from "#tasks/effective-timeout.ts";
import type { HarborStep, HarborTask } from "#tasks/load-task.ts";

/** How a run changes the times of its tasks. `multiplier` counts for each phase that has none of its own. */
export interface TimeoutRules {
  multiplier?: number | null;
  agent?: TimeoutRule;
  agentSetup?: TimeoutRule;
  environmentBuild?: TimeoutRule;
  verifier?: TimeoutRule;
}

/** A step with everything that Harbor would resolve for it. Times in seconds, null for no limit. */
export interface PlannedStep extends HarborStep {
  agent: {
    timeoutS: number | null;
    /** Null: the image's own. */
    user: string | number | null;
    network: NetworkPolicy;
  };
  verifier: {
    mode: "shared" | "separate";
    timeoutS: number | null;
    user: string | number | null;
    /** With templates: `resolveEnv` fills them in when the verifier starts. */
    env: Readonly<Record<string, string>>;
    /** Of the sandbox that it runs in, when that starts. */
    startNetwork: NetworkPolicy;
    /** While it runs. */
    network: NetworkPolicy;
  };
  /** After the step's set-up; the sandbox's own healthcheck has run before. */
  healthcheck: Healthcheck | null;
  /** Those of the main service run before its artifacts are collected, the others after. */
  collect: readonly CollectHook[];
  /** In order; the first to claim a place has it. `/logs/artifacts` of the main service is always among them. */
  artifacts: readonly ArtifactConfig[];
  /** Below one of these the steps that follow are left out; a missing reward is below. Null: none. */
  minRewards: Readonly<Record<string, number>> | null;
}

/** A task as it will run. */
export interface TaskPlan {
  buildTimeoutS: number | null;
  agentSetupTimeoutS: number | null;
  /** Of the agent's sandbox when it starts. */
  network: NetworkPolicy;
  steps: readonly PlannedStep[];
  rewardStrategy: "mean" | "final";
}

/** Harbor's own limit of an agent's set-up. */
const AGENT_SETUP_S = 360;

/** Resolves which of a step's, the task's and the run's settings count, as Harbor 0.24 does. */
export function planTask(task: HarborTask, rules: TimeoutRules = {}): TaskPlan {
  const { config } = task;
  const within = (taskS: number | null, rule: TimeoutRule = {}) =>
    effectiveTimeoutS(taskS, { ...rule, multiplier: rule.multiplier ?? rules.multiplier ?? 1 });
  return {
    buildTimeoutS: within(config.environment.build_timeout_sec, rules.environmentBuild),
    agentSetupTimeoutS: within(AGENT_SETUP_S, rules.agentSetup),
    network: policyOf(config.environment),
    steps: task.steps.map((step, i) => {
      const own = task.hasSteps ? (config.steps?.[i] ?? null) : null;
      const agentS = own?.agent.timeout_sec ?? config.agent.timeout_sec;
      // A step's verifier always has a time of its own, 600 s where none is written: the task's is not inherited.
      const verifierS = (own ?? config).verifier.timeout_sec;
      return {
        ...planStep(config, step, own),
        agent: {
          timeoutS: within(agentS, rules.agent),
          user: own?.agent.user ?? config.agent.user,
          network: phaseOf(own?.agent) ?? phaseOf(config.agent) ?? policyOf(config.environment),
        },
        verifier: planVerifier(config, step, own, within(verifierS, rules.verifier)),
      };
    }),
    rewardStrategy: config.multi_step_reward_strategy ?? "mean",
  };
}

function planStep(config: TaskConfig, step: HarborStep, own: StepConfig | null) {
  const minReward = own?.min_reward ?? null;
  return {
    ...step,
    healthcheck: own?.healthcheck ?? null,
    collect: [...config.verifier.collect, ...(own?.verifier.collect ?? [])],
    artifacts: withArtifactsFolder([...config.artifacts, ...(own?.artifacts ?? [])]),
    minRewards: typeof minReward === "number" ? { reward: minReward } : minReward,
  };
}

function planVerifier(
  config: TaskConfig,
  { verifierEnvironment }: HarborStep,
  own: StepConfig | null,
  timeoutS: number | null,
): PlannedStep["verifier"] {
  const startNetwork = policyOf(verifierEnvironment?.config ?? config.environment);
  return {
    mode: verifierEnvironment ? "separate" : "shared",
    timeoutS,
    user: own?.verifier.user ?? config.verifier.user,
    env: { ...config.verifier.env, ...own?.verifier.env },
    startNetwork,
    network: phaseOf(own?.verifier) ?? phaseOf(config.verifier) ?? startNetwork,
  };
}

function phaseOf(
  phase: Pick<TaskConfig["agent"], "network_mode" | "allowed_hosts"> | undefined,
): NetworkPolicy | null {
  if (!phase || phase.network_mode === null) return null;
  return { mode: phase.network_mode, allowedHosts: phase.allowed_hosts ?? [] };
}

const isArtifactsFolder = ({ source, service }: ArtifactConfig) =>
  trimEnd(source, "/") === ARTIFACTS_FOLDER && (service ?? MAIN_SERVICE) === MAIN_SERVICE;

function withArtifactsFolder(entries: ArtifactConfig[]): ArtifactConfig[] {
  if (entries.some(isArtifactsFolder)) return entries;
  return [{ source: ARTIFACTS_FOLDER, destination: null, exclude: [], service: null }, ...entries];
}
