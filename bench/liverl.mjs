// A real LiveRL for a bench: on a data directory and a port of its own, spoken to as an operator's program would.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const START_MS = 300_000;

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export class LiveRL {
  constructor(dataDir, port) {
    this.dataDir = dataDir;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.control = null;
    this.signInUrl = null;
  }

  /** With `warmup`, the `warmup` folder of another data directory, the first policy is taken from there. */
  static async create({ warmup } = {}) {
    const dataDir = mkdtempSync(join(tmpdir(), "liverl-bench-"));
    if (warmup) cpSync(warmup, join(dataDir, "warmup"), { recursive: true });
    return new LiveRL(dataDir, await freePort());
  }

  /** Starts control; resolves when its page is usable. A second call after a kill is what an operator does, too. */
  async start() {
    const argv = [
      "dist/control.mjs",
      "--data-dir",
      this.dataDir,
      "--port",
      String(this.port),
      "--no-run",
    ];
    const control = spawn(process.execPath, argv, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    this.control = control;
    // A bench that fails, or that someone ends, leaves nothing running.
    process.once("exit", () => control.kill("SIGINT"));
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
      process.once(signal, () => process.exit(1));
    this.exited = new Promise((resolve) => control.once("exit", resolve));
    let said = "";
    await new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`not ready in ${START_MS / 1000} s: ${said}`)),
        START_MS,
      );
      const hear = (bytes) => {
        said += bytes;
        const ready = /LiveRL ready (\S+)\s/.exec(said);
        if (!ready) return;
        /** Signs a browser in, once. */
        this.signInUrl = ready[1];
        clearTimeout(late);
        resolve();
      };
      control.stdout.on("data", hear);
      control.stderr.on("data", hear);
      control.once("exit", (code, signal) => {
        clearTimeout(late);
        reject(new Error(`control ended (${code ?? signal}): ${said}`));
      });
    });
  }

  async stop() {
    this.control.kill("SIGINT");
    await this.exited;
  }

  remove() {
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #ask(path, init) {
    const token = readFileSync(join(this.dataDir, "operator.token"), "utf8").trim();
    const answer = await fetch(this.url + path, {
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        ...(init?.body ? { "content-type": "application/json" } : {}),
      },
      signal: AbortSignal.timeout(120_000),
    });
    const body = await answer.json();
    if (!answer.ok)
      throw new Error(
        `${path.split("?")[0]}: ${answer.status} ${JSON.stringify(body).slice(0, 300)}`,
      );
    return body;
  }

  async query(procedure, input = {}) {
    return (
      await this.#ask(`/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`)
    ).result.data;
  }

  async mutate(procedure, input) {
    return (await this.#ask(`/trpc/${procedure}`, { method: "POST", body: JSON.stringify(input) }))
      .result.data;
  }

  post(path, body = {}) {
    return this.#ask(path, { method: "POST", body: JSON.stringify(body) });
  }

  async presetSpec(id) {
    const { presets } = await this.query("launch.presets");
    return structuredClone(presets.find((preset) => preset.id === id).spec);
  }

  launch(spec) {
    return this.mutate("run.launch", { spec, idempotencyKey: randomUUID(), force: true });
  }

  /** Every process whose command line names this data directory, and all their children, by /proc; `id` is its alone. */
  processes() {
    const all = new Map();
    for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        const argv = readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0").filter(Boolean);
        const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        if (fields[0] !== "Z")
          all.set(entry, { id: `${entry}@${fields[19]}`, parent: fields[1], argv });
      } catch {
        // It has ended meanwhile.
      }
    }
    const isOurs = (entry) => {
      const found = all.get(entry);
      if (!found || entry === String(process.pid)) return false;
      return found.argv.some((word) => word.includes(this.dataDir)) || isOurs(found.parent);
    };
    return [...all.keys()].filter(isOurs).map((entry) => all.get(entry));
  }

  /** Recorded pid of a supervised process: `postgres`, `runner`, `proxy`, `<run>.trainer`, `<run>.engine-0`. */
  pidOf(name) {
    try {
      return JSON.parse(readFileSync(join(this.dataDir, "processes", `${name}.json`), "utf8")).pid;
    } catch {
      return null;
    }
  }
}

/** Asks until `look` gives something; what it throws meanwhile (a process restarts) is not fatal. */
export async function until(look, { what, timeoutMs = 300_000, everyMs = 200 }) {
  const deadline = Date.now() + timeoutMs;
  let last = null;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline)
      throw new Error(
        `${what}: not within ${timeoutMs / 1000} s${last ? ` (${last.message})` : ""}`,
      );
    await sleep(everyMs);
  }
}

export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0
    ? null
    : sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

export const say = (line) => process.stderr.write(`${line}\n`);

/** Milliseconds for 10^8 integer additions: how much of a core the machine gives just now. */
export function spinMs() {
  const began = performance.now();
  let sum = 0;
  for (let i = 0; i < 1e8; i++) sum = (sum + i) | 0;
  return sum === 1 ? Number.NaN : Math.round(performance.now() - began);
}

/** The bench's one line of JSON; exit 0 only when its claim holds. `peers`: what it was measured against in the same run. */
export function report(name, { ok, figures, peers }) {
  const host = {
    cores: cpus().length,
    model: cpus()[0]?.model,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    spinMs: spinMs(),
  };
  process.stdout.write(`${JSON.stringify({ name, ok, figures, peers, host })}\n`);
  process.exit(ok ? 0 : 1);
}
