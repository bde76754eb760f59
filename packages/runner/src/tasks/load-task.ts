import { readFile, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { TASK_FILE } from "@liverl/durable/tasks/find-tasks";
import {
  checkInputTree,
  isWithin,
  kindOf,
  refuseSpecialFiles,
} from "@liverl/durable/tasks/input-tree";
import {
  parseTaskConfig,
  type StepConfig,
  type TaskConfig,
} from "@liverl/durable/tasks/task-config";
import { withoutCanary } from "#tasks/instruction.ts";
import {
  resolveVerifierEnvironment,
  type VerifierEnvironment,
} from "#tasks/verifier-environment.ts";

/** What one agent run has to do; a task without `[[steps]]` is one of these. */
export interface HarborStep {
  /** Null in a task without `[[steps]]`. */
  name: string | null;
  /** The agent's prompt. */
  instruction: string;
  /** Folders whose contents go to `/tests`, in this order. Empty where the verifier's image has its own tests. */
  testFolders: readonly string[];
  /** Where the verifier runs; null where it shares the agent's sandbox. */
  verifierEnvironment: VerifierEnvironment | null;
  /** Folder that goes to `/solution` for the reference solution; null where there is none. */
  solutionFolder: string | null;
  /** Files that go into the working directory before the step, its `setup.sh` among them. */
  workdirFolder: string | null;
  /** ATIF file with what went before; only the first step's counts. */
  trajectoryFile: string | null;
}

/** A task's folder in Harbor's format, checked. */
export interface HarborTask {
  /** Real path. */
  folder: string;
  /** `org/name`, or the folder's name. */
  name: string;
  config: TaskConfig;
  /** At least one. */
  steps: readonly HarborStep[];
  hasSteps: boolean;
  environmentFolder: string;
  /** The files of `environment/` that make the sandbox; null where they are missing. */
  dockerfile: string | null;
  composeFile: string | null;
  /** What Harbor would only warn about, or drop without a word. */
  warnings: readonly string[];
}

/** Throws BAD_REQUEST or NOT_FOUND with the file, the key and what to do. */
export async function loadTask(path: string): Promise<HarborTask> {
  const folder = await realpath(path).catch((cause) => {
    throw new AppError("NOT_FOUND", { userMessage: `There is no folder ${path}.`, cause });
  });
  const toml = await readText(folder, TASK_FILE, folder);
  const { config, warnings } = parseTaskConfig(toml, join(folder, TASK_FILE));
  const environmentFolder = join(folder, "environment");
  await refuseSpecialFiles(folder);
  for (const name of ["tests", "solution", "steps"])
    await checkInputTree(join(folder, name), folder);
  const steps = config.steps?.length
    ? await Promise.all(
        config.steps.map((step, i) =>
          loadStep(folder, config, { config: step, name: step.name, isFirst: i === 0 }),
        ),
      )
    : [await loadStep(folder, config, null)];
  const dockerfile = await fileAt(join(environmentFolder, "Dockerfile"), folder);
  const composeFile = await fileAt(join(environmentFolder, "docker-compose.yaml"), folder);
  if (!dockerfile && !composeFile && !config.environment.docker_image) {
    throw new AppError("BAD_REQUEST", {
      userMessage: `${join(folder, TASK_FILE)}: nothing says what the sandbox is. Set [environment].docker_image, or add environment/Dockerfile.`,
    });
  }
  return {
    folder,
    name: config.task?.name ?? basename(folder),
    config,
    steps,
    hasSteps: Boolean(config.steps?.length),
    environmentFolder,
    dockerfile,
    composeFile,
    warnings,
  };
}

async function loadStep(
  folder: string,
  config: TaskConfig,
  step: { name: string; config: StepConfig; isFirst: boolean } | null,
): Promise<HarborStep> {
  const home = step ? join(folder, "steps", step.name) : folder;
  const verifierEnvironment = await resolveVerifierEnvironment(folder, config, step);
  const { hasOwnTests = false } = verifierEnvironment ?? {};
  return {
    name: step?.name ?? null,
    instruction: withoutCanary(await readText(home, "instruction.md", folder)),
    testFolders: hasOwnTests
      ? []
      : await findTests(folder, step ? join(home, "tests") : null, config, verifierEnvironment),
    verifierEnvironment,
    solutionFolder:
      (step && (await folderAt(join(home, "solution")))) ??
      (await folderAt(join(folder, "solution"))),
    workdirFolder: step ? await folderAt(join(home, "workdir")) : null,
    trajectoryFile:
      step?.isFirst === false ? null : await fileAt(join(home, "trajectory.json"), folder),
  };
}

/** The task's shared tests first, the step's own above them. Throws where none of them has the script. */
async function findTests(
  folder: string,
  own: string | null,
  config: TaskConfig,
  verifierEnvironment: VerifierEnvironment | null,
): Promise<string[]> {
  const { os } = verifierEnvironment?.config ?? config.environment;
  const script = os === "windows" ? "test.bat" : "test.sh";
  const folders: string[] = [];
  let isScriptThere = false;
  for (const tests of [join(folder, "tests"), own]) {
    if (tests === null || !(await folderAt(tests))) continue;
    folders.push(tests);
    isScriptThere ||= (await fileAt(join(tests, script), folder)) !== null;
  }
  if (isScriptThere) return folders;
  throw new AppError("NOT_FOUND", {
    userMessage: `${join(own ?? join(folder, "tests"), script)} is missing: it is what gives the reward.`,
  });
}

async function readText(home: string, name: string, root: string): Promise<string> {
  const path = await fileAt(join(home, name), root);
  if (path !== null) return await readFile(path, "utf8");
  throw new AppError("NOT_FOUND", {
    userMessage: `${join(home, name)} is missing: a task in Harbor's format has one.`,
  });
}

/** The path where a file is; null where none is. Throws BAD_REQUEST where a link leads out of the task. */
async function fileAt(path: string, root: string): Promise<string | null> {
  const real = await realpath(path).catch(() => null);
  if (real === null || (await kindOf(real)) !== "file") return null;
  if (isWithin(root, real)) return path;
  throw new AppError("BAD_REQUEST", {
    userMessage: `${path}: this link leads out of the task. Put the file itself into the task's folder.`,
  });
}

const folderAt = async (path: string) => ((await kindOf(path)) === "folder" ? path : null);
