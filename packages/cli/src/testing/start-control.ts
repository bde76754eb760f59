import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Relay } from "#testing/relay.ts";

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
  /** Stands before it and hears what the program asks. */
  readonly relay: Relay;
  readonly #control: ChildProcess;

  private constructor(dataDir: string, control: ChildProcess, relay: Relay) {
    this.dataDir = dataDir;
    this.relay = relay;
    this.#control = control;
  }

  static async start(): Promise<TestLiveRL> {
    const dataDir = await mkdtemp(join(tmpdir(), "liverl-cli-"));
    const argv = [join(ROOT, "dist/control.mjs"), "--data-dir", dataDir, "--port", "0", "--no-run"];
    // Receivers of alerts in tests listen on this machine.
    const control = spawn("env", ["LIVERL_WEBHOOK_ALLOW=127.0.0.1", process.execPath, ...argv], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    const url = await new Promise<string>((resolve, reject) => {
      const hear = (bytes: Buffer) => {
        said += bytes;
        const [, ready] = /LiveRL ready (\S+)\s/.exec(said) ?? [];
        if (ready !== undefined) resolve(ready);
      };
      control.stdout.on("data", hear);
      control.stderr.on("data", hear);
      control.once("exit", (code) => reject(new Error(`control ended (${code}): ${said}`)));
    });
    return new TestLiveRL(dataDir, control, await Relay.start(new URL(url).origin));
  }

  /** Runs the program to its end, with nothing of this process's environment that could lead it elsewhere. */
  liverl(words: readonly string[], input = ""): Promise<Ended> {
    const place = ["--data-dir", this.dataDir, "--url", this.relay.url];
    return this.run([...place, ...words], {}, input);
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
    await this.relay.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
