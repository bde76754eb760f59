import type { EnvironmentConfig, Healthcheck } from "@liverl/durable/tasks/environment-config";
import type { TaskAbilities } from "#tasks/find-unsupported.ts";

/** Where a key stands in `task.toml`; a file of the task is one part alone. */
export type Key = readonly (string | number)[];
/** Notes that something can not be had, and why. */
export type Refuse = (isWrong: boolean, key: Key, why: string) => void;

/** An environment's own table: the agent's, or a verifier's. */
export function checkEnvironment(
  refuse: Refuse,
  table: Key,
  config: EnvironmentConfig,
  abilities: TaskAbilities,
): void {
  const { workdir, skills_dir: skills, storage_mb: storage } = config;
  refuse(config.os === "windows", [...table, "os"], "Windows tasks can not run here");
  // The image stands in a command: what looks like an option of it is none.
  refuse(
    /^-|\s/.test(config.docker_image ?? ""),
    [...table, "docker_image"],
    `${JSON.stringify(config.docker_image)} is no image`,
  );
  checkAccelerators(refuse, table, config, abilities);
  for (const name of ["cpus", "memory_mb", "storage_mb"] as const) {
    const value = config[name];
    refuse(value !== null && value < 1, [...table, name], `must be at least 1, not ${value}`);
  }
  refuse(
    storage !== null && !abilities.storageLimit,
    [...table, "storage_mb"],
    "the disk of a sandbox can not be limited here; remove the key",
  );
  refuse(
    workdir !== null && !workdir.startsWith("/"),
    [...table, "workdir"],
    "must be an absolute path",
  );
  refuse(
    Boolean(skills) && !abilities.skills,
    [...table, "skills_dir"],
    "skills can not be given to agents here",
  );
  for (const [i, { transport }] of config.mcp_servers.entries())
    refuse(
      !abilities.mcpTransports.includes(transport),
      [...table, "mcp_servers", i, "transport"],
      `agents can not be given MCP servers of transport "${transport}" here`,
    );
  checkTime(refuse, [...table, "build_timeout_sec"], config.build_timeout_sec);
  checkEnvNames(refuse, [...table, "env"], config.env);
  checkHealthcheck(refuse, [...table, "healthcheck"], config.healthcheck, abilities);
}

function checkAccelerators(
  refuse: Refuse,
  table: Key,
  { tpu, gpus, gpu_types: types }: EnvironmentConfig,
  abilities: TaskAbilities,
): void {
  refuse(tpu !== null, [...table, "tpu"], "there are no TPUs here");
  const count = gpus ?? 0;
  refuse(
    count < 0 || count > abilities.gpus,
    [...table, "gpus"],
    `a sandbox has ${abilities.gpus || "no"} GPUs here, not ${count}`,
  );
  const isHere = types === null || types.some((type) => abilities.gpuTypes.includes(type));
  refuse(count > 0 && !isHere, [...table, "gpu_types"], `there is no ${types?.join(" or ")} here`);
}

export function checkHealthcheck(
  refuse: Refuse,
  key: Key,
  healthcheck: Healthcheck | null,
  abilities: TaskAbilities,
): void {
  if (!healthcheck) return;
  refuse(!abilities.healthcheck, key, "healthchecks can not run in this sandbox");
  checkTime(refuse, [...key, "timeout_sec"], healthcheck.timeout_sec);
}

/** Infinite is no limit; zero, less and NaN are nothing that a task can be given. */
export function checkTime(refuse: Refuse, key: Key, seconds: number | null): void {
  const isTime = seconds === null || seconds > 0;
  refuse(!isTime, key, `must be more than 0 seconds, not ${seconds}`);
}

export function checkEnvNames(
  refuse: Refuse,
  key: Key,
  env: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(env)) {
    const isPossible = name !== "" && !/[=\0]/.test(name) && !value.includes("\0");
    refuse(!isPossible, key, `${JSON.stringify(name)} can not be an environment variable`);
  }
}
