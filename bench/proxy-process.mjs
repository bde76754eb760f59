// The built proxy in a process of its own, and the mock engine in another, for the benches of the proxy.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AdminClient } from "../dist/admin-client.mjs";
import { benchModel, wordTokens } from "./bench-model.mjs";
import { until } from "./liverl.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const WINDOW = 131_072;
const POOL = "bench";

/** Ends `child` with this process, however that ends. */
export function endWithUs(child, end = () => child.kill("SIGKILL")) {
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

/** The mock engine's URL, pid and end. */
export async function startEngine(directory, ...options) {
  const words = join(directory, "words.json");
  writeFileSync(words, JSON.stringify(wordTokens(benchModel()).map(({ id }) => id)));
  const child = spawn(process.execPath, ["bench/mock-engine.mjs", "--words", words, ...options], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  endWithUs(child);
  const [url] = await new Promise((resolve, reject) => {
    createInterface(child.stdout).once("line", (line) => resolve([line]));
    child.once("exit", (code) => reject(new Error(`the mock engine ended: ${code}`)));
  });
  return { url, pid: child.pid, stop: () => child.kill("SIGKILL") };
}

export const makeDirectory = () => mkdtempSync(join(tmpdir(), "liverl-bench-"));
export const removeDirectory = (path) => rmSync(path, { recursive: true, force: true });

export class ProxyProcess {
  #child = null;
  #client = null;
  #said = "";

  constructor(dataDir, { execArgv = [] } = {}) {
    this.dataDir = dataDir;
    this.execArgv = execArgv;
  }

  get pid() {
    return this.#child.pid;
  }

  /** Resolves once it is ready; a later start on the same folder has the same ports and sessions. */
  async start() {
    const child = spawn(
      process.execPath,
      [...this.execArgv, "dist/proxy.mjs", "--data-dir", this.dataDir],
      {
        cwd: root,
        env: { ...process.env, LIVERL_LOG_LEVEL: "error" },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#child = child;
    endWithUs(child);
    let ended = null;
    const hear = (bytes) => {
      this.#said = (this.#said + bytes).slice(-4000);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", (code, signal) => {
      ended = code ?? signal;
    });
    await until(async () => ended !== null || (await this.#get("/readyz")), {
      what: "the proxy",
      timeoutMs: 300_000,
      everyMs: 20,
    });
    if (ended !== null) throw new Error(`the proxy ended (${ended}): ${this.#said}`);
  }

  /** The last of its log. */
  get said() {
    return this.#said;
  }

  #end(signal) {
    const child = this.#child;
    return new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once("exit", () => resolve());
      child.kill(signal);
    });
  }

  kill() {
    return this.#end("SIGKILL");
  }

  stop() {
    return this.#end("SIGTERM");
  }

  get isRunning() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #read(name) {
    return readFileSync(join(this.dataDir, "proxy", name), "utf8").trim();
  }

  async #get(path) {
    const answer = await fetch(`http://127.0.0.1:${this.#read("admin-port")}${path}`, {
      headers: { authorization: `Bearer ${this.#read("admin.token")}` },
    });
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status}`);
    return answer.text();
  }

  /** Its ports and its token stay the same over all its lives. */
  get #admin() {
    this.#client ??= new AdminClient({
      url: `http://127.0.0.1:${this.#read("admin-port")}`,
      token: this.#read("admin.token"),
    });
    return this.#client;
  }

  putPool(engineUrl) {
    return this.#admin.putPool(POOL, {
      engines: [{ url: engineUrl }],
      engineKeyPath: null,
      modelDir: benchModel(),
      modelName: "mock",
      maxModelLen: WINDOW,
    });
  }

  /** `{name, url, key}` of a new session. */
  async openSession(name) {
    const { baseUrl, apiKey } = await this.#admin.openSession({
      sessionId: name,
      poolId: POOL,
      rolloutId: name,
      attempt: 1,
      runId: "bench",
      taskId: null,
      groupId: null,
      step: 1,
      mode: "train",
      sampling: { temperature: 1, max_tokens: 1024 },
      directory: join(this.dataDir, "trials", name),
      expiresAt: "2999-01-01T00:00:00.000Z",
      maxCalls: 1_000_000,
    });
    return { name, url: baseUrl, key: apiKey };
  }

  deleteSession(name) {
    return this.#admin.deleteSession(name);
  }

  /** Freezes it; gives its `proxy_trajectory.json`. */
  async completeSession(name) {
    const end = { reward: { reward: 1 }, termination: "agent-finished" };
    const { path } = await this.#admin.completeSession(name, end);
    return JSON.parse(readFileSync(path, "utf8"));
  }

  /** Milliseconds that the event loop was held up since this was last asked, at most: the timer's own period is in it. */
  async longestStallMs() {
    const text = await this.#get("/metrics");
    const seconds = /^liverl_proxy_nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1];
    return Number((Number(seconds) * 1000).toFixed(1));
  }
}
