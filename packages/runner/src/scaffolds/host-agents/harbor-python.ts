import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { hostEnv } from "#env.ts";
import { demandPython } from "#scaffolds/programs/demand-python.ts";
import type { PythonPlace } from "#scaffolds/programs/python-install.ts";
import { runInstaller } from "#scaffolds/programs/run-installer.ts";
import { TrialError } from "#trials/trial-error.ts";

const run = promisify(execFile);
const CHECK_MS = 120_000;
const DIGEST_LENGTH = 32;
const MAX_TOLD = 2_000;
export const HARBOR_VERSION = "0.24.0";
const Loaded = z.object({ name: z.string(), version: z.string() });

/** What a process of Harbor's is started with. */
export interface HarborCommand {
  python: string;
  /** Up to what it shall do. */
  args: readonly string[];
  env: Record<string, string>;
}

/** Harbor in `D/agents`, installed at its first use, and the runner's Python for it. */
export class HarborPython {
  readonly #place: PythonPlace;
  readonly #agents: string;
  #coming: Promise<HarborCommand> | null = null;
  readonly #loadable = new Map<string, Promise<void>>();

  constructor(options: { dataDir: string; place: PythonPlace }) {
    this.#agents = join(options.dataDir, "agents");
    this.#place = options.place;
  }

  /** Throws `AgentSetupError`; the next asks pip again. `say` is told of an installation that begins. */
  ensure(say: (text: string) => void): Promise<HarborCommand> {
    this.#coming ??= this.#install(say).catch((error: unknown) => {
      this.#coming = null;
      throw error;
    });
    return this.#coming;
  }

  /** Resolves where an import path names an agent of Harbor. Throws `AgentSetupError` that says what to do. */
  check(importPath: string): Promise<void> {
    const known = this.#loadable.get(importPath);
    if (known !== undefined) return known;
    const checking = this.#load(importPath).catch((error: unknown) => {
      this.#loadable.delete(importPath);
      throw error;
    });
    this.#loadable.set(importPath, checking);
    return checking;
  }

  async #load(importPath: string): Promise<void> {
    const { python, args, env } = await this.ensure(() => undefined);
    try {
      const { stdout } = await run(python, [...args, "check", importPath], {
        env,
        timeout: CHECK_MS,
      });
      Loaded.parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
    } catch (error) {
      throw new TrialError(
        "AgentSetupError",
        `The agent ${importPath} can not be loaded: ${lastLine(error)}.`,
        error,
      );
    }
  }

  async #install(say: (text: string) => void): Promise<HarborCommand> {
    const { python, folder } = this.#place;
    const requirements = join(folder, "harbor", "requirements.txt");
    const digest = createHash("sha256")
      .update(await demandPython(python))
      .update(await readFile(requirements))
      .digest("hex")
      .slice(0, DIGEST_LENGTH);
    const packages = join(this.#agents, `harbor@${HARBOR_VERSION}-${digest}`);
    const command = {
      python,
      // Its folder is not searched for modules, and nothing is written beside the user's own.
      args: ["-P", "-s", "-B", join(folder, "harbor", "main.py"), packages],
      env: pythonEnv(),
    };
    if (await exists(packages)) return command;
    const making = `${packages}.making`;
    await rm(making, { recursive: true, force: true });
    say(`Harbor ${HARBOR_VERSION} is installed: the first use of one of its agents`);
    const pip = ["-I", "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"];
    const why = await runInstaller(
      python,
      [...pip, "--target", making, "--requirement", requirements],
      folder,
    );
    if (why !== null)
      throw new TrialError(
        "AgentSetupError",
        `${python} can not install Harbor ${HARBOR_VERSION}: ${why}\nCheck that pip of this Python, which LIVERL_PYTHON names, reaches its index.`,
      );
    // What is at the folder's own name is whole.
    await rename(making, packages);
    return command;
  }
}

/** Of the runner's variables those that a program needs, and PYTHONPATH, where import paths are looked for. */
function pythonEnv(): Record<string, string> {
  const names = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "PYTHONPATH"];
  const kept = names.flatMap((name) => {
    const value = hostEnv[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    // Nobody outside is told or asked.
    HARBOR_TELEMETRY: "0",
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
  };
}

function lastLine(error: unknown): string {
  const told = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  return (told.trim().split("\n").at(-1) ?? "").slice(-MAX_TOLD);
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
