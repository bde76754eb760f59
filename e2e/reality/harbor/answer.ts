import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { parseTaskConfig } from "@liverl/durable/tasks/task-config";
import { resolveEnv } from "@liverl/runner/tasks/env-templates";
import { loadTask } from "@liverl/runner/tasks/load-task";
import { parseReward, type Rewards } from "@liverl/runner/tasks/parse-reward";
import { planTask, type TaskPlan } from "@liverl/runner/tasks/plan-task";
import { combineStepRewards, missedMinReward } from "@liverl/runner/tasks/step-rewards";
import { digestTask } from "@liverl/runner/tasks/task-digest";
import { TrialError } from "@liverl/runner/trials/trial-error";

export interface Cases {
  timeoutMultiplier: number;
  rewards: { name: string; text?: string; json?: string }[];
  /** Rewards of the steps that ran, and the least of the last one. */
  steps: [(Rewards | null)[], number | Record<string, number> | null][];
  env: Record<string, string>[];
}

/** What LiveRL makes of everything that Harbor is asked, too. */
export async function answer(
  { tasks, configs, work }: { tasks: string; configs: string; work: string },
  cases: Cases,
) {
  return {
    configs: readConfigs(configs),
    tasks: await readTasks(tasks, cases.timeoutMultiplier),
    rewards: await readRewards(cases.rewards, join(work, "rewards")),
    steps: cases.steps.map(([steps, least]) => ({
      mean: combineStepRewards("mean", steps),
      final: combineStepRewards("final", steps),
      ends:
        missedMinReward(
          steps.at(-1) ?? null,
          typeof least === "number" ? { reward: least } : least,
        ) !== null,
    })),
    env: cases.env.map(readEnv),
  };
}

function readConfigs(folder: string) {
  const files = ["accepted", "refused", "stricter", "made"].flatMap((kind) =>
    readdirSync(join(folder, kind)).map((name) => join(folder, kind, name)),
  );
  return Object.fromEntries(
    files.map((file) => [basename(file, ".toml"), configOf(readFileSync(file, "utf8"), file)]),
  );
}

function configOf(toml: string, file: string) {
  try {
    return parseTaskConfig(toml, file).config;
  } catch (error) {
    if (error instanceof AppError && error.code === "BAD_REQUEST") return null;
    throw error;
  }
}

async function readTasks(folder: string, multiplier: number) {
  const out: Record<string, unknown> = {};
  for (const name of readdirSync(folder).sort()) {
    const task = await loadTask(join(folder, name));
    out[name] = {
      name: task.name,
      isValid: true,
      checksum: await digestTask(task.folder),
      config: task.config,
      plan: planOf(planTask(task, { multiplier }), task.folder),
    };
  }
  return out;
}

/** The part of a plan that Harbor has, too, with paths below the task. */
function planOf({ buildTimeoutS, agentSetupTimeoutS, network, steps }: TaskPlan, folder: string) {
  return {
    buildTimeoutS,
    agentSetupTimeoutS,
    network,
    steps: steps.map(({ verifierEnvironment: environment, ...step }) => ({
      name: step.name,
      instruction: step.instruction,
      agent: step.agent,
      verifier: step.verifier,
      verifierEnvironment: environment && {
        config: environment.config,
        folder: relative(folder, environment.folder),
        hasOwnTests: environment.hasOwnTests,
      },
      testFolders: step.testFolders.map((path) => relative(folder, path)),
      collect: step.collect,
      artifacts: step.artifacts,
      healthcheck: step.healthcheck,
    })),
  };
}

async function readRewards(cases: Cases["rewards"], folder: string) {
  const out: Record<string, unknown> = {};
  for (const [i, { name, text, json }] of cases.entries()) {
    const verifierDir = join(folder, String(i), "verifier");
    mkdirSync(verifierDir, { recursive: true });
    if (text !== undefined) writeFileSync(join(verifierDir, "reward.txt"), text);
    if (json !== undefined) writeFileSync(join(verifierDir, "reward.json"), json);
    out[name] = await parseReward(verifierDir).then(
      ({ rewards }) => ({ rewards }),
      (error) => {
        if (error instanceof TrialError) return { error: error.exceptionType };
        throw error;
      },
    );
  }
  return out;
}

function readEnv(env: Record<string, string>) {
  try {
    return resolveEnv(env, { SET: "found" }, "cases.json");
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
