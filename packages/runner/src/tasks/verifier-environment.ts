import { join } from "node:path";
import type { EnvironmentConfig } from "@liverl/durable/tasks/environment-config";
import { checkInputTree, kindOf } from "@liverl/durable/tasks/input-tree";
import type { StepConfig, TaskConfig, VerifierConfig } from "@liverl/durable/tasks/task-config";

/** A sandbox that only the verifier has. */
export interface VerifierEnvironment {
  config: EnvironmentConfig;
  /** What its image is built from: `tests/`, a step's `tests/`, or `environment/`. */
  folder: string;
  /** Whether the image brings `/tests`, so that none are uploaded. */
  hasOwnTests: boolean;
  /** Whether it is services of a `docker-compose.yaml` in that folder. */
  isComposed: boolean;
}

const modeOf = (verifier: VerifierConfig) =>
  verifier.environment_mode ?? (verifier.environment ? "separate" : null);

/** The step's own mode, else the task's, else shared. */
export function verifierModeOf(config: TaskConfig, step: StepConfig | null): "shared" | "separate" {
  return (step && modeOf(step.verifier)) ?? modeOf(config.verifier) ?? "shared";
}

/** Harbor's order: the step's definition, the task's, a copy of the agent's. Null where the verifier shares. */
export async function resolveVerifierEnvironment(
  folder: string,
  config: TaskConfig,
  step: { name: string; config: StepConfig } | null,
): Promise<VerifierEnvironment | null> {
  if (verifierModeOf(config, step?.config ?? null) === "shared") return null;
  const wanted =
    step?.config.verifier.environment ?? config.verifier.environment ?? config.environment;
  const candidates = [
    ...(step
      ? [
          {
            environment: step.config.verifier.environment,
            tests: join(folder, "steps", step.name, "tests"),
          },
        ]
      : []),
    { environment: config.verifier.environment, tests: join(folder, "tests") },
  ];
  for (const { environment, tests } of candidates) {
    const image = environment?.docker_image;
    const own = { folder: tests, hasOwnTests: true };
    if (image) return { ...own, config: { ...wanted, docker_image: image }, isComposed: false };
    const isComposed = await hasFile(tests, "docker-compose.yaml");
    if (isComposed || (await hasFile(tests, "Dockerfile")))
      return { ...own, config: { ...wanted, docker_image: null }, isComposed };
  }
  const environmentFolder = join(folder, "environment");
  await checkInputTree(environmentFolder, folder);
  return {
    config: { ...wanted, docker_image: config.environment.docker_image },
    folder: environmentFolder,
    hasOwnTests: false,
    isComposed: await hasFile(environmentFolder, "docker-compose.yaml"),
  };
}

const hasFile = async (folder: string, name: string) =>
  (await kindOf(join(folder, name))) === "file";
