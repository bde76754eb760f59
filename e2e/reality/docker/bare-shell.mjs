// A shell of an operator without a page: its WebSocket alone.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import WebSocket from "ws";
import { until } from "../../../bench/liverl.mjs";

export const shellUrl = (base, rolloutId, more = "") =>
  `${base.replace(/^http/, "ws")}/api/v1/rollouts/${rolloutId}/shell?columns=80&rows=24${more}`;

/** A shell without a page: what it printed, what it was told, and how it was refused. */
export class BareShell {
  output = "";
  bytes = 0;
  told = [];
  status = null;
  isClosed = false;

  constructor(url, headers = {}, { takes = true } = {}) {
    this.socket = new WebSocket(url, { headers });
    this.socket.on("message", (data, isBinary) => {
      if (!isBinary) return this.told.push(JSON.parse(String(data)));
      this.bytes += data.length;
      this.output = (this.output + data).slice(-100_000);
      if (takes) this.socket.send(JSON.stringify({ kind: "taken", bytes: data.length }));
    });
    this.socket.on("unexpected-response", (request, response) => {
      this.status = response.statusCode;
      request.destroy();
    });
    this.socket.on("error", () => undefined);
    this.socket.on("close", () => {
      this.isClosed = true;
    });
  }

  /** Told last; null while it goes on. */
  get ending() {
    return this.told.find(({ kind }) => kind === "ended")?.reason ?? null;
  }

  async settled() {
    await until(
      () => this.told.length > 0 || this.status !== null || (this.isClosed && this.status === null),
      { what: "a shell's answer", timeoutMs: 60_000 },
    );
    return this;
  }

  async run(line, wanted) {
    this.socket.send(Buffer.from(`${line}\n`), { binary: true });
    await until(() => this.output.includes(wanted), {
      what: `${wanted} in ${this.output.slice(-300)}`,
      timeoutMs: 60_000,
    });
  }
}

/** At the runner's own port, with its token. */
export async function openAtRunner(runner, rolloutId) {
  const read = (name) => readFileSync(join(runner.dataDir, "runner", name), "utf8").trim();
  const headers = { authorization: `Bearer ${read("admin.token")}` };
  const url = shellUrl(`http://127.0.0.1:${read("port")}`, rolloutId, "&actor=operator");
  return await new BareShell(url, headers).settled();
}
