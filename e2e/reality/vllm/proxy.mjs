// The proxy's own process on a folder of its own, spoken to as its owner would.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const START_MS = 60_000;

export class LlmProxy {
  #child;
  #said = "";
  #sessions = 0;
  directory = mkdtempSync(join(tmpdir(), "liverl-reality-"));

  static async start() {
    const proxy = new LlmProxy();
    proxy.#child = spawn(process.execPath, ["dist/proxy.mjs", "--data-dir", proxy.directory], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    process.once("exit", () => proxy.#child.kill("SIGKILL"));
    proxy.#child.stdout.on("data", (bytes) => {
      proxy.#said += bytes;
    });
    for (const deadline = Date.now() + START_MS; !proxy.#said.includes("proxy is ready"); ) {
      if (Date.now() > deadline || proxy.#child.exitCode !== null)
        throw new Error(`the proxy did not start: ${proxy.#said}`);
      await sleep(50);
    }
    const line = proxy.#said.split("\n").find((text) => text.includes("proxy is ready"));
    proxy.adminUrl = JSON.parse(line).adminUrl;
    return proxy;
  }

  /** The reference worker's own process: dials in, and serves a pool from an engine. */
  startWorker(pool, engine) {
    const argv = [
      ...["dist/relay-worker.mjs", "--proxy", `${this.adminUrl.replace("http", "ws")}/ws/worker`],
      ...["--token-file", join(this.directory, "proxy/worker.token")],
      ...["--pool", pool, "--engine", engine],
    ];
    const worker = spawn(process.execPath, argv, { cwd: root, stdio: "ignore" });
    process.once("exit", () => worker.kill("SIGKILL"));
    return worker;
  }

  async admin(method, path, body) {
    const token = readFileSync(join(this.directory, "proxy/admin.token"), "utf8").trim();
    const answer = await fetch(`${this.adminUrl}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const value = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(value)}`);
    return value;
  }

  open(poolId, maxTokens, fields = {}) {
    const sessionId = `${poolId}-${this.#sessions++}`;
    return this.admin("POST", "sessions", {
      ...{ sessionId, poolId, rolloutId: sessionId, attempt: 1, runId: "reality" },
      ...{ taskId: "t", groupId: "g", step: 1, mode: "train", maxCalls: 1000 },
      sampling: { temperature: 1, max_tokens: maxTokens },
      directory: join(this.directory, "trials", sessionId),
      expiresAt: "2999-01-01T00:00:00.000Z",
      ...fields,
    });
  }

  async complete({ sessionId }) {
    const end = { reward: { reward: 1 }, termination: "agent-finished" };
    const { path } = await this.admin("POST", `sessions/${sessionId}/complete`, end);
    return JSON.parse(readFileSync(path, "utf8"));
  }

  async stop() {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await ended;
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function pathIds(trajectory, nodeId) {
  if (nodeId === null) return [];
  const node = trajectory.nodes.find(({ id }) => id === nodeId);
  return [...pathIds(trajectory, node.parentId), ...node.tokenIds];
}
