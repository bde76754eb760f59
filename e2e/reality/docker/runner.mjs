// The built runner with its own proxy, as control starts it, spoken to over its admin API.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../../../bench/liverl.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const START_MS = 60_000;
const PROGRAMS = [
  "runner",
  "liverl-runner",
  "proxy",
  "agent-worker",
  "code-worker",
  "sandbox-tunnel",
];

/** The programs of this checkout, as they are now, and `more` of them. */
export function buildRunner(more = []) {
  const { status } = spawnSync(
    process.execPath,
    ["scripts/build.mjs", `--only=${[...PROGRAMS, ...more].join(",")}`],
    { cwd: root, stdio: ["ignore", "ignore", "inherit"] },
  );
  if (status !== 0) process.exit(1);
}

export class Runner {
  #child = null;

  /** `env`: what differs from this process's. */
  constructor(dataDir, env = {}) {
    this.dataDir = dataDir;
    this.env = env;
  }

  async start() {
    const child = spawn(process.execPath, ["dist/runner.mjs", "--data-dir", this.dataDir], {
      cwd: root,
      env: { ...process.env, LIVERL_LOG_LEVEL: "warn", ...this.env },
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#child = child;
    process.once("exit", () => child.kill("SIGTERM"));
    await this.ready();
  }

  /** Also of one that somebody else started. */
  async ready() {
    await until(
      async () => {
        const answer = await this.ask("GET", "/metrics").catch(() => null);
        return answer?.status === 200;
      },
      { what: "the runner", timeoutMs: START_MS },
    );
  }

  /** Of its own proxy, on the loopback network of this host. */
  async proxyPort() {
    const path = join(this.dataDir, "proxy", "session-port");
    await until(() => existsSync(path), { what: "the proxy's port", timeoutMs: START_MS });
    return Number(readFileSync(path, "utf8"));
  }

  async ask(method, path, body) {
    const read = (name) => readFileSync(join(this.dataDir, "runner", name), "utf8").trim();
    const answer = await fetch(`http://127.0.0.1:${read("port")}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${read("admin.token")}`,
        "content-type": "application/json",
      },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, content: text.startsWith("{") ? JSON.parse(text) : text };
  }

  register(runId, run) {
    return this.ask("PUT", `/api/v1/runs/${runId}`, run);
  }

  /** Asks until the rollout is finished, over restarts of the runner too. */
  rollout(request) {
    return until(
      async () => {
        const { status, content } = await this.ask("POST", "/api/v1/rollouts?wait=30", request);
        if (status === 400 || status === 404) return { refused: content };
        return status === 200 ? content : null;
      },
      { what: request.rolloutId, timeoutMs: 900_000 },
    );
  }

  instance() {
    const path = join(this.dataDir, "runner", "sandbox-instance");
    return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
  }

  /** The kernel ends it; nobody of it can tidy up. */
  async kill() {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await gone;
  }

  async stop() {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await gone;
  }
}
