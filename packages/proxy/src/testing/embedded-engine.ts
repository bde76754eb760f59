import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

/** The real embedded engine, in its own process, with two random policies for weights: it serves version 3, `odd`. */
export class EmbeddedEngine {
  readonly url: string;
  /** Holds `model`, `weights` and `engine.key`. */
  readonly run: string;
  readonly #process: ChildProcess;

  private constructor(url: string, run: string, process: ChildProcess) {
    this.url = url;
    this.run = run;
    this.#process = process;
  }

  static async start(): Promise<EmbeddedEngine> {
    const run = await makeTemporaryDirectory("engine");
    spawnSync(process.execPath, ["dist/two-policies.mjs", "--out", run]);
    const weights = (name: string) => join(run, "weights", name);
    await copyFile(weights("odd.safetensors"), weights("v3.safetensors"));
    await writeFile(
      weights("current.json"),
      JSON.stringify({ version: 3, path: "odd.safetensors" }),
    );
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    const argv = ["dist/engine.mjs", "--run-dir", run, "--index", "0", "--port", String(port)];
    const child = spawn(process.execPath, argv, { stdio: "ignore" });
    const url = `http://127.0.0.1:${port}`;
    while (!(await isHealthy(url))) await sleep(50);
    return new EmbeddedEngine(url, run, child);
  }

  get keyPath(): string {
    return join(this.run, "engine.key");
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
    await rm(this.run, { recursive: true, force: true });
  }
}

const isHealthy = (url: string) =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
