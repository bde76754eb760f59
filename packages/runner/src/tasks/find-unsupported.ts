import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { type AllowedHostKind, kindOfAllowedHost } from "#tasks/allowed-hosts.ts";
import { MAIN_SERVICE } from "#tasks/artifact-config.ts";
import type {
  EnvironmentConfig,
  Healthcheck,
  McpServer,
  NetworkMode,
} from "#tasks/environment-config.ts";
import { type HarborTask, TASK_FILE } from "#tasks/load-task.ts";
import { type PlannedStep, planTask } from "#tasks/plan-task.ts";
import type { CollectHook } from "#tasks/task-config.ts";

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
}

/** Something of a task that can not be had: its key in `task.toml`, or its file, and why. */
export interface Unsupported {
  key: string;
  why: string;
}

/** All that a sandbox with these abilities can not do of a task; empty when it can run. */
export function findUnsupported(task: HarborTask, abilities: TaskAbilities): Unsupported[] {
  const { config } = task;
  const refusals: Unsupported[] = [];
  const refuse: Refuse = (isWrong, key, why) => {
    if (isWrong) refusals.push({ key, why });
  };
  checkEnvironment(refuse, "environment", config.environment, abilities);
  refuse(
    task.composeFile !== null && !abilities.compose,
    "environment/docker-compose.yaml",
    "tasks of several services can not run in this sandbox; give [environment].docker_image or a Dockerfile alone",
  );
  const { docker_image: image } = config.environment;
  refuse(
    !image && !task.composeFile && !abilities.builds,
    "environment/Dockerfile",
    "images can not be built here; build it yourself and set [environment].docker_image",
  );
  refuse(
    task.hasSteps && !abilities.steps,
    "[[steps]]",
    "tasks of several steps can not run in this sandbox",
  );
  checkTime(refuse, "[agent].timeout_sec", config.agent.timeout_sec);
  checkTime(refuse, "[verifier].timeout_sec", config.verifier.timeout_sec);
  for (const [i, step] of planTask(task).steps.entries())
    checkStep(refuse, { task, step, abilities, i });
  return unique(refusals);
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

type Refuse = (isWrong: boolean, key: string, why: string) => void;

function checkEnvironment(
  refuse: Refuse,
  table: string,
  config: EnvironmentConfig,
  abilities: TaskAbilities,
): void {
  const key = (name: string) => `[${table}].${name}`;
  const { gpus, gpu_types: gpuTypes, workdir, healthcheck } = config;
  refuse(config.os === "windows", key("os"), "Windows tasks can not run here; take a Linux task");
  refuse(config.tpu !== null, key("tpu"), "there are no TPUs here");
  refuse(
    (gpus ?? 0) > abilities.gpus,
    key("gpus"),
    `a sandbox has ${abilities.gpus || "no"} GPUs here, not ${gpus}`,
  );
  refuse(
    (gpus ?? 0) > 0 &&
      gpuTypes !== null &&
      !gpuTypes.some((type) => abilities.gpuTypes.includes(type)),
    key("gpu_types"),
    `none of these GPUs is here`,
  );
  for (const name of ["cpus", "memory_mb", "storage_mb", "gpus"] as const) {
    const value = config[name];
    const least = name === "gpus" ? 0 : 1;
    refuse(value !== null && value < least, key(name), `must be at least ${least}`);
  }
  refuse(
    config.storage_mb !== null && !abilities.storageLimit,
    key("storage_mb"),
    "the disk of a sandbox can not be limited here; remove the key",
  );
  refuse(workdir !== null && !workdir.startsWith("/"), key("workdir"), "must be an absolute path");
  refuse(
    Boolean(config.skills_dir) && !abilities.skills,
    key("skills_dir"),
    "skills can not be given to agents here",
  );
  for (const [i, { transport }] of config.mcp_servers.entries())
    refuse(
      !abilities.mcpTransports.includes(transport),
      `${key("mcp_servers")}[${i}].transport`,
      `agents can not be given MCP servers of transport "${transport}" here`,
    );
  checkTime(refuse, key("build_timeout_sec"), config.build_timeout_sec);
  checkEnvNames(refuse, key("env"), config.env);
  checkHealthcheck(refuse, key("healthcheck"), healthcheck, abilities);
}

function checkStep(
  refuse: Refuse,
  {
    task,
    step,
    abilities,
    i,
  }: { task: HarborTask; step: PlannedStep; abilities: TaskAbilities; i: number },
): void {
  const home = task.hasSteps ? `steps[${i}].` : "";
  const { verifier, verifierEnvironment } = step;
  refuse(
    verifier.mode === "separate" && !abilities.separateVerifier,
    `[${home}verifier].environment_mode`,
    "a verifier can not have a sandbox of its own here",
  );
  if (verifierEnvironment) {
    checkEnvironment(refuse, `${home}verifier.environment`, verifierEnvironment.config, abilities);
    refuse(
      !verifierEnvironment.config.docker_image && !abilities.builds,
      `[${home}verifier.environment].docker_image`,
      "images can not be built here; build it yourself and set the key",
    );
  }
  checkNetwork(refuse, { task, step, home, abilities });
  checkEnvNames(refuse, `[${home}verifier].env`, verifier.env);
  refuse(
    step.trajectoryFile !== null && !abilities.trajectory,
    `${task.hasSteps ? `steps/${step.name}/` : ""}trajectory.json`,
    "an agent can not be given what went before; remove the file",
  );
  for (const [at, hook] of step.collect.entries())
    checkHook(refuse, `[${home}verifier].collect[${at}]`, hook, abilities);
  for (const [at, { service }] of step.artifacts.entries())
    refuse(
      (service ?? MAIN_SERVICE) !== MAIN_SERVICE && !abilities.compose,
      `[${home}artifacts][${at}].service`,
      "there are no other services in this sandbox",
    );
  if (!task.hasSteps) return;
  const own = task.config.steps?.[i];
  checkHealthcheck(refuse, `[steps[${i}].healthcheck]`, step.healthcheck, abilities);
  checkTime(refuse, `[${home}agent].timeout_sec`, own?.agent.timeout_sec ?? null);
  checkTime(refuse, `[${home}verifier].timeout_sec`, own?.verifier.timeout_sec ?? null);
}

function checkNetwork(
  refuse: Refuse,
  {
    task,
    step,
    home,
    abilities,
  }: { task: HarborTask; step: PlannedStep; home: string; abilities: TaskAbilities },
): void {
  const start = planTask(task).network;
  const policies = [
    { key: "[environment]", policy: start, from: start },
    { key: `[${home}agent]`, policy: step.agent.network, from: start },
    { key: `[${home}verifier.environment]`, policy: step.verifier.startNetwork, from: null },
    { key: `[${home}verifier]`, policy: step.verifier.network, from: step.verifier.startNetwork },
  ];
  for (const { key, policy, from } of policies) {
    refuse(
      !abilities.networkModes.includes(policy.mode),
      `${key}.network_mode`,
      `"${policy.mode}" can not be had here; ${abilities.networkModes.map((mode) => `"${mode}"`).join(" and ")} can`,
    );
    for (const host of policy.allowedHosts)
      refuse(
        abilities.networkModes.includes(policy.mode) &&
          !abilities.allowedHostKinds.includes(kindOfAllowedHost(host)),
        `${key}.allowed_hosts`,
        `${host}: an entry of this kind can not be had here`,
      );
    refuse(
      from !== null && JSON.stringify(from) !== JSON.stringify(policy) && !abilities.networkSwitch,
      `${key}.network_mode`,
      "the network of a running sandbox can not be changed here; give the phase the network of its sandbox",
    );
  }
}

function checkHook(refuse: Refuse, key: string, hook: CollectHook, abilities: TaskAbilities): void {
  refuse(!abilities.collect, key, "commands after the agent can not run in this sandbox");
  refuse(
    hook.service !== MAIN_SERVICE && !abilities.compose,
    `${key}.service`,
    "there are no other services in this sandbox",
  );
  checkTime(refuse, `${key}.timeout_sec`, hook.timeout_sec);
}

function checkHealthcheck(
  refuse: Refuse,
  key: string,
  healthcheck: Healthcheck | null,
  abilities: TaskAbilities,
): void {
  refuse(
    healthcheck !== null && !abilities.healthcheck,
    key,
    "healthchecks can not run in this sandbox",
  );
  if (healthcheck) checkTime(refuse, `${key}.timeout_sec`, healthcheck.timeout_sec);
}

/** Infinite is no limit; zero, less and NaN are nothing that a task can be given. */
function checkTime(refuse: Refuse, key: string, seconds: number | null): void {
  refuse(seconds !== null && !(seconds > 0), key, `must be more than 0 seconds, not ${seconds}`);
}

function checkEnvNames(refuse: Refuse, key: string, env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env))
    refuse(
      !/^[^=\0]+$/.test(name) || value.includes("\0"),
      key,
      `${JSON.stringify(name)} can not be an environment variable`,
    );
}

function unique(refusals: Unsupported[]): Unsupported[] {
  return [...new Map(refusals.map((refusal) => [JSON.stringify(refusal), refusal])).values()];
}
