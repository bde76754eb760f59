import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
export const PROGRAM = join(ROOT, "dist/liverl.mjs");

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A real LiveRL on a data directory of its own, and the built program beside it. */
export class TestLiveRL {
  readonly dataDir: string;
  readonly #control: ChildProcess;

  private constructor(dataDir: string, control: ChildProcess) {
    this.dataDir = dataDir;
    this.#control = control;
  }

  static async start(): Promise<TestLiveRL> {
    const dataDir = await mkdtemp(join(tmpdir(), "liverl-cli-"));
    const argv = [join(ROOT, "dist/control.mjs"), "--data-dir", dataDir, "--port", "0", "--no-run"];
    const control = spawn(process.execPath, argv, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    await new Promise<void>((resolve, reject) => {
      const hear = (bytes: Buffer) => {
        said += bytes;
        if (/LiveRL ready \S+\s/.test(said)) resolve();
      };
      control.stdout.on("data", hear);
      control.stderr.on("data", hear);
      control.once("exit", (code) => reject(new Error(`control ended (${code}): ${said}`)));
    });
    return new TestLiveRL(dataDir, control);
  }

  /** Runs the program to its end, with nothing of this process's environment that could lead it elsewhere. */
  liverl(words: readonly string[], input = ""): Promise<Ended> {
    return this.run(["--data-dir", this.dataDir, ...words], {}, input);
  }

  run(words: readonly string[], env: Record<string, string> = {}, input = ""): Promise<Ended> {
    const { child, ended } = this.begin(words, env);
    child.stdin?.end(input);
    return ended;
  }

  begin(words: readonly string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [PROGRAM, ...words], {
      cwd: tmpdir(),
      env,
    });
    const result: Ended = { code: null, stdout: "", stderr: "" };
    child.stdout.on("data", (bytes: Buffer) => {
      result.stdout += bytes;
    });
    child.stderr.on("data", (bytes: Buffer) => {
      result.stderr += bytes;
    });
    const ended = new Promise<Ended>((resolve) =>
      child.once("close", (code) => resolve({ ...result, code })),
    );
    return { child, result, ended };
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#control.once("exit", resolve));
    this.#control.kill("SIGINT");
    await gone;
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
