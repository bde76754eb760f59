// A real Ray head with a token, alone on ports and a folder of its own.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const READY_MS = 180_000;

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export class RayHead {
  static async create(venv, folder, resources = []) {
    const head = new RayHead();
    mkdirSync(folder, { recursive: true });
    Object.assign(head, { venv, folder, resources, mark: randomUUID(), token: randomUUID() });
    head.tokenPath = join(folder, "ray.token");
    writeFileSync(head.tokenPath, `${head.token}\n`, { mode: 0o600 });
    const ports = await Promise.all(Array.from({ length: 3 }, freePort));
    [head.gcsPort, head.dashboardPort, head.agentPort] = ports;
    head.address = `http://127.0.0.1:${head.dashboardPort}`;
    return head;
  }

  /** May be called again after a kill: the same ports, a new life. */
  async start() {
    const log = openSync(join(this.folder, "head.log"), "a");
    const argv = [
      ...["start", "--head", "--block", "--disable-usage-stats", "--include-dashboard=true"],
      ...["--port", this.gcsPort, "--temp-dir", join(this.folder, "t")],
      ...["--dashboard-host", "127.0.0.1", "--dashboard-port", this.dashboardPort],
      ...["--dashboard-agent-listen-port", this.agentPort, ...this.resources],
    ].map(String);
    spawn(join(this.venv, "bin/ray"), argv, {
      detached: true,
      stdio: ["ignore", log, log],
      env: {
        ...process.env,
        RAY_AUTH_MODE: "token",
        RAY_AUTH_TOKEN: this.token,
        RAY_TMPDIR: join(this.folder, "t"),
        LIVERL_REALITY_RAY: this.mark,
      },
    }).unref();
    closeSync(log);
    const deadline = Date.now() + READY_MS;
    for (;;) {
      const nodes = await this.ask("/nodes?view=summary").catch(() => null);
      if (nodes?.data?.summary?.some(({ raylet }) => raylet?.state === "ALIVE")) return;
      if (Date.now() > deadline)
        throw new Error(`Ray's head was not ready: ${this.folder}/head.log`);
      await sleep(500);
    }
  }

  async ask(path) {
    const response = await fetch(this.address + path, {
      headers: { authorization: `Bearer ${this.token}` },
      signal: AbortSignal.timeout(20_000),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** Everything that carries the mark in its environment: Ray's daemons and workers. */
  processes() {
    return readdirSync("/proc").filter((entry) => {
      if (!/^\d+$/.test(entry) || entry === String(process.pid)) return false;
      try {
        const environ = readFileSync(`/proc/${entry}/environ`, "utf8");
        return environ.split("\0").includes(`LIVERL_REALITY_RAY=${this.mark}`);
      } catch {
        return false;
      }
    });
  }

  async kill() {
    for (let tries = 0; tries < 20; tries++) {
      const alive = this.processes();
      if (alive.length === 0) return;
      for (const pid of alive) {
        try {
          process.kill(Number(pid), "SIGKILL");
        } catch {
          // It ended meanwhile.
        }
      }
      await sleep(200);
    }
  }
}
