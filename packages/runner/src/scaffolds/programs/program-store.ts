import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { BakedPrograms } from "#sandboxes/sandbox.ts";
import {
  AGENT_PROGRAMS,
  type AgentProgram,
  IN_SANDBOX,
  type ProgramName,
} from "#scaffolds/programs/agent-programs.ts";
import { npmInstall } from "#scaffolds/programs/npm-install.ts";
import {
  type PythonPlace,
  pythonInputs,
  pythonInstall,
} from "#scaffolds/programs/python-install.ts";

const DIGEST_LENGTH = 32;

/**
 * Agents in `D/agents`, each installed at its first use, with what they need in a sandbox beside them: the tunnel to
 * their session, and the Node that this process runs on for it.
 */
export class ProgramStore {
  readonly #folder: string;
  readonly #tunnelEntry: string;
  #helper: Promise<BakedPrograms> | null = null;
  readonly #python: PythonPlace;
  readonly #coming = new Map<ProgramName, Promise<BakedPrograms>>();

  constructor(options: { dataDir: string; tunnelEntry: string; python: PythonPlace }) {
    this.#folder = join(options.dataDir, "agents");
    this.#tunnelEntry = options.tunnelEntry;
    this.#python = options.python;
  }

  /** Throws `AgentSetupError`; the next asks again. `say` is told of an installation that begins. */
  ensure(name: ProgramName, say: (text: string) => void): Promise<BakedPrograms> {
    const known = this.#coming.get(name);
    if (known !== undefined) return known;
    const coming = this.#bake(name, say).catch((error: unknown) => {
      this.#coming.delete(name);
      throw error;
    });
    this.#coming.set(name, coming);
    return coming;
  }

  /** The helper alone, for a sandbox whose agent works from outside. */
  async ensureHelper(): Promise<BakedPrograms> {
    this.#helper ??= this.#bakeHelper().catch((error: unknown) => {
      this.#helper = null;
      throw error;
    });
    return await this.#helper;
  }

  async #bakeHelper(): Promise<BakedPrograms> {
    const tunnel = await readFile(this.#tunnelEntry);
    const digest = digestOf([process.version, process.arch], tunnel);
    const folder = join(this.#folder, `helper-${digest}`);
    const baked = { digest, folder, at: IN_SANDBOX.folder };
    if (await exists(folder)) return baked;
    const making = `${folder}.making`;
    await rm(making, { recursive: true, force: true });
    await mkdir(making, { recursive: true });
    await addHelper(making, tunnel);
    await rename(making, folder);
    return baked;
  }

  async #bake(name: ProgramName, say: (text: string) => void): Promise<BakedPrograms> {
    const program: AgentProgram = AGENT_PROGRAMS[name];
    const tunnel = await readFile(this.#tunnelEntry);
    const inputs = program.kind === "python" ? await pythonInputs(this.#python, name) : [];
    const digest = digestOf([program, process.version, process.arch, ...inputs], tunnel);
    const folder = join(this.#folder, `${name}@${program.version}-${digest}`);
    const baked = { digest, folder, at: IN_SANDBOX.folder };
    if (await exists(folder)) return baked;
    const making = `${folder}.making`;
    await rm(making, { recursive: true, force: true });
    await mkdir(making, { recursive: true });
    say(`${program.package} ${program.version} is installed: the first use of ${name}`);
    const agent = join(making, basename(IN_SANDBOX.agent));
    if (program.kind === "npm") await npmInstall(program, agent);
    else await pythonInstall(this.#python, name, agent);
    await addHelper(making, tunnel);
    // What is at the folder's own name is whole.
    await rename(making, folder);
    return baked;
  }
}

/** The tunnel, and the Node that this process runs on. */
async function addHelper(folder: string, tunnel: Buffer): Promise<void> {
  const node = join(folder, basename(IN_SANDBOX.node));
  await cp(process.execPath, node);
  await chmod(node, 0o755);
  await writeFile(join(folder, basename(IN_SANDBOX.tunnel)), tunnel);
}

const digestOf = (facts: unknown, tunnel: Buffer) =>
  createHash("sha256")
    .update(JSON.stringify(facts))
    .update(tunnel)
    .digest("hex")
    .slice(0, DIGEST_LENGTH);

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
