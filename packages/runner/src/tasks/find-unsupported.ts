import { join, relative } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { type AllowedHostKind, kindOfAllowedHost } from "@liverl/durable/tasks/allowed-hosts";
import { MAIN_SERVICE } from "@liverl/durable/tasks/artifact-config";
import {
  isSamePolicy,
  type McpServer,
  type NetworkMode,
  type NetworkPolicy,
} from "@liverl/durable/tasks/environment-config";
import { TASK_FILE } from "@liverl/durable/tasks/find-tasks";
import { nameOfKey } from "@liverl/durable/tasks/name-of-key";
import type { CollectHook } from "@liverl/durable/tasks/task-config";
import {
  checkEnvironment,
  checkEnvNames,
  checkHealthcheck,
  checkTime,
  type Key,
  type Refuse,
} from "#tasks/check-environment.ts";
import type { HarborTask } from "#tasks/load-task.ts";
import { type PlannedStep, planTask, type TaskPlan } from "#tasks/plan-task.ts";

/** What a kind of sandbox can do with a task. What it can not do is refused before the task runs. */
export interface TaskAbilities {
  /** Builds images from a Dockerfile. */
  builds: boolean;
  /** Starts the services of `docker-compose.yaml`. */
  compose: boolean;
  networkModes: readonly NetworkMode[];
  allowedHostKinds: readonly AllowedHostKind[];
  /** Changes the network of a running sandbox. */
  networkSwitch: boolean;
  /** How many GPUs a sandbox may have. */
  gpus: number;
  gpuTypes: readonly string[];
  storageLimit: boolean;
  separateVerifier: boolean;
  steps: boolean;
  healthcheck: boolean;
  mcpTransports: readonly McpServer["transport"][];
  skills: boolean;
  collect: boolean;
  /** Hands the agent what went before, `trajectory.json`. */
  trajectory: boolean;
  /** What an operator can do about images that can not be built, and about a network mode that can not be had. */
  remedies?: { builds: string; network: string };
}

/** Something of a task that can not be had: its key in `task.toml`, or its file, and why. */
export interface Unsupported {
  key: string;
  why: string;
}

/** All that a sandbox with these abilities can not do of a task; empty when it can run. */
export function findUnsupported(task: HarborTask, abilities: TaskAbilities): Unsupported[] {
  const { config, composeFile } = task;
  const refusals = new Map<string, Unsupported>();
  const refuse: Refuse = (isWrong, path, why) => {
    const key = nameOfKey(path);
    // Steps inherit: what the task itself says is told once.
    if (isWrong) refusals.set(`${key}\n${why}`, { key, why });
  };
  checkEnvironment(refuse, ["environment"], config.environment, abilities);
  refuse(
    composeFile !== null && !abilities.compose,
    ["environment/docker-compose.yaml"],
    "tasks of several services can not run in this sandbox; give [environment].docker_image or a Dockerfile alone",
  );
  refuse(
    !config.environment.docker_image && composeFile === null && !abilities.builds,
    ["environment/Dockerfile"],
    `images can not be built here; build it yourself and set [environment].docker_image${remedyOf(abilities, "builds")}`,
  );
  refuse(task.hasSteps && !abilities.steps, ["steps"], "tasks of several steps can not run here");
  const plan = planTask(task);
  for (const [i, step] of plan.steps.entries())
    checkStep(refuse, { task, plan, step, home: task.hasSteps ? ["steps", i] : [], abilities });
  return [...refusals.values()];
}

/** Throws BAD_REQUEST with a line for each thing that the sandbox can not do. */
export function refuseUnsupported(task: HarborTask, abilities: TaskAbilities): void {
  const refusals = findUnsupported(task, abilities);
  if (refusals.length === 0) return;
  const file = join(task.folder, TASK_FILE);
  throw new AppError("BAD_REQUEST", {
    userMessage: refusals.map(({ key, why }) => `${file}: ${key}: ${why}.`).join("\n"),
  });
}

const remedyOf = ({ remedies }: TaskAbilities, of: "builds" | "network") =>
  remedies ? `; ${remedies[of]}` : "";

interface StepCheck {
  task: HarborTask;
  plan: TaskPlan;
  step: PlannedStep;
  /** Of the step's tables: `steps[0]`, or nothing. */
  home: Key;
  abilities: TaskAbilities;
}

function checkStep(refuse: Refuse, check: StepCheck): void {
  const { task, step, home, abilities } = check;
  const { verifier, verifierEnvironment } = step;
  if (verifierEnvironment) {
    refuse(
      !abilities.separateVerifier,
      [...home, "verifier", "environment_mode"],
      "a verifier can not have a sandbox of its own here",
    );
    const isInherited = !(
      ownConfig(task, step).verifier.environment ?? task.config.verifier.environment
    );
    const table = isInherited ? ["environment"] : [...home, "verifier", "environment"];
    checkEnvironment(refuse, table, verifierEnvironment.config, abilities);
    refuse(
      verifierEnvironment.isComposed && verifierEnvironment.hasOwnTests && !abilities.compose,
      [relative(task.folder, join(verifierEnvironment.folder, "docker-compose.yaml"))],
      "a verifier of several services can not run in this sandbox; give it a Dockerfile alone",
    );
    refuse(
      !verifierEnvironment.config.docker_image && !abilities.builds,
      [...table, "docker_image"],
      "images can not be built here; build it yourself and set the key",
    );
  }
  checkNetwork(refuse, check);
  checkEnvNames(refuse, [...home, "verifier", "env"], verifier.env);
  const folder = step.name === null ? "" : `steps/${step.name}/`;
  refuse(
    step.trajectoryFile !== null && !abilities.trajectory,
    [`${folder}trajectory.json`],
    "an agent can not be given what went before; remove the file",
  );
  for (const [i, hook] of step.collect.entries())
    checkHook(refuse, [...home, "verifier", "collect", i], hook, abilities);
  for (const { service, source } of step.artifacts)
    refuse(
      service !== null && service !== MAIN_SERVICE && !abilities.compose,
      [...home, "artifacts"],
      `${source} comes from service ${service}; there are no other services in this sandbox`,
    );
  const { agent, verifier: own } = ownConfig(task, step);
  checkTime(refuse, [...home, "agent", "timeout_sec"], agent.timeout_sec);
  checkTime(refuse, [...home, "verifier", "timeout_sec"], own.timeout_sec);
  if (step.name !== null)
    checkHealthcheck(refuse, [...home, "healthcheck"], step.healthcheck, abilities);
}

const ownConfig = ({ config }: HarborTask, { name }: PlannedStep) =>
  config.steps?.find((step) => step.name === name) ?? config;

function checkNetwork(refuse: Refuse, { plan, step, home, abilities }: StepCheck): void {
  const { agent, verifier } = step;
  const policies: { table: Key; policy: NetworkPolicy; from: NetworkPolicy | null }[] = [
    { table: ["environment"], policy: plan.network, from: null },
    { table: [...home, "agent"], policy: agent.network, from: plan.network },
    { table: [...home, "verifier"], policy: verifier.network, from: verifier.startNetwork },
  ];
  if (!isSamePolicy(verifier.startNetwork, plan.network)) {
    const table = [...home, "verifier", "environment"];
    policies.push({ table, policy: verifier.startNetwork, from: null });
  }
  for (const { table, policy, from } of policies) {
    // One that goes on as it was has been looked at.
    if (from !== null && isSamePolicy(from, policy)) continue;
    const isSwitch = from !== null;
    checkPolicy(refuse, table, { policy, isSwitch, abilities });
  }
}

function checkPolicy(
  refuse: Refuse,
  table: Key,
  {
    policy,
    isSwitch,
    abilities,
  }: { policy: NetworkPolicy; isSwitch: boolean; abilities: TaskAbilities },
): void {
  const { networkModes: modes, allowedHostKinds: kinds } = abilities;
  const key = [...table, "network_mode"];
  if (!modes.includes(policy.mode)) {
    const known = modes.map((mode) => `"${mode}"`).join(" and ");
    refuse(
      true,
      key,
      `"${policy.mode}" can not be had here, ${known} can${remedyOf(abilities, "network")}`,
    );
    return;
  }
  for (const host of policy.allowedHosts)
    refuse(
      !kinds.includes(kindOfAllowedHost(host)),
      [...table, "allowed_hosts"],
      `${host}: an entry of this kind can not be had here`,
    );
  refuse(
    isSwitch && !abilities.networkSwitch,
    key,
    "the network of a running sandbox can not be changed here; give the phase the network of its sandbox",
  );
}

function checkHook(refuse: Refuse, key: Key, hook: CollectHook, abilities: TaskAbilities): void {
  refuse(!abilities.collect, key, "commands after the agent can not run in this sandbox");
  refuse(
    hook.service !== MAIN_SERVICE && !abilities.compose,
    [...key, "service"],
    "there are no other services in this sandbox",
  );
  checkTime(refuse, [...key, "timeout_sec"], hook.timeout_sec);
}
