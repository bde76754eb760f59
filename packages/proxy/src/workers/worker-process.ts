import { createHmac } from "node:crypto";
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { probePort } from "@liverl/durable/port";
import { isAlive, recoverRecord, stopRecorded } from "@liverl/durable/process";
import { type Supervised, supervise } from "@liverl/durable/supervise";
import type { Logger } from "pino";
import type { z } from "zod";
import { AdminClient } from "#admin-client.ts";
import type { ProcessPlan } from "#config/process-plan.ts";
import { workerVariables } from "#env.ts";
import { recordsDirectory, workerDirectory } from "#workers/worker-folders.ts";

type Plan = z.input<typeof ProcessPlan>;
type WorkerCommand = [string, ...string[]];

export interface WorkerOptions {
  index: number;
  plan: Plan;
  /** Bundle of the proxy's program. */
  entry: string;
  token: string;
  /** Keys the digest that stands in its command line for all that it was started with. */
  secret: string;
  logLevel: string;
  log: Logger;
  /** Runs each time that the worker, new or adopted, answers; until it resolves the worker gets no requests. */
  onUp: (client: AdminClient) => Promise<void>;
}

const FIRST_POLL_MS = 25;
const MAX_POLL_MS = 500;
/** What stopping takes beside the calls that may end first. */
const STOP_GRACE_MS = 5_000;
/** A worker that ends so could not start, and would not the next time. */
const CAN_NOT_START = 2;

/** One worker process: adopted if it runs as planned, started again with its journal and its port when it dies. */
export class WorkerProcess {
  readonly index: number;
  readonly #options: WorkerOptions;
  readonly #supervised: Supervised;
  readonly logPath: string;
  #client: AdminClient | null = null;
  #agentUrl: string | null = null;
  #life = 0;
  #wasUp = false;

  private constructor(options: WorkerOptions, argv: WorkerCommand, logPath: string) {
    this.index = options.index;
    this.#options = options;
    this.logPath = logPath;
    const { dataDir } = options.plan;
    this.#supervised = supervise({
      spec: () => ({
        directory: recordsDirectory(dataDir),
        name: nameOf(options.index),
        argv,
        env: { ...workerVariables(), LIVERL_LOG_LEVEL: options.logLevel },
        cwd: dirname(options.entry),
        logPath,
        startedBy: `proxy ${process.pid}`,
      }),
      onExit: ({ code }) => (code === CAN_NOT_START && !this.#wasUp ? "done" : "restart"),
      onChange: ({ state, restarts, adopted }) => this.#follow(state, restarts, adopted),
      minBackoffMs: 50,
      maxBackoffMs: 2_000,
    });
  }

  static async start(options: WorkerOptions): Promise<WorkerProcess> {
    const { index, plan, entry } = options;
    const planPath = join(workerDirectory(plan.dataDir, index), "plan.json");
    const text = JSON.stringify(plan);
    const argv: WorkerCommand = [
      ...[process.execPath, entry, "--worker"],
      ...[planPath, "--plan-digest", await digestOf(options, text)],
    ] as WorkerCommand;
    await reconcile(plan, index, argv);
    await writeFileAtomic(planPath, text);
    const logPath = join(plan.dataDir, "logs", `${nameOf(index)}.log`);
    await mkdir(dirname(logPath), { recursive: true });
    return new WorkerProcess(options, argv, logPath);
  }

  get isUp(): boolean {
    return this.#client !== null;
  }

  /** Whether it ended at its very start, for a reason that its log names. */
  get hasFailed(): boolean {
    return !this.#wasUp && this.#supervised.state === "exited";
  }

  get agentUrl(): string | null {
    return this.#agentUrl;
  }

  get restarts(): number {
    return this.#supervised.restarts;
  }

  /** Throws UNAVAILABLE while the worker is being started. */
  get client(): AdminClient {
    if (this.#client) return this.#client;
    throw new AppError("UNAVAILABLE", {
      userMessage: `Worker ${this.index} of the proxy is being started. Ask again.`,
    });
  }

  /** Its calls may end within `withinMs`; 0 ends it at once. */
  async stop(withinMs: number): Promise<void> {
    await this.#supervised.stop({ graceMs: withinMs === 0 ? 0 : withinMs + STOP_GRACE_MS });
    this.#life++;
    await this.#forget();
  }

  #follow(state: string, restarts: number, adopted: boolean): void {
    const { log } = this.#options;
    const life = ++this.#life;
    void this.#forget();
    if (state === "restarting")
      log.warn(
        { worker: this.index, restarts, log: this.logPath },
        "worker died, starting it again",
      );
    if (state !== "up") return;
    log.info({ worker: this.index, adopted, restarts }, "worker runs");
    this.#announce(life).catch((error: unknown) =>
      log.error({ err: error, worker: this.index }, "worker can not be used"),
    );
  }

  /** Asks until the worker answers or has died again. */
  async #announce(life: number): Promise<void> {
    const { plan, token, log, onUp } = this.#options;
    const portPath = join(workerDirectory(plan.dataDir, this.index), "admin-port");
    for (
      let waitMs = FIRST_POLL_MS;
      life === this.#life;
      waitMs = Math.min(waitMs * 1.5, MAX_POLL_MS)
    ) {
      const port = await readFile(portPath, "utf8").catch(() => "");
      const client = new AdminClient({ url: `http://127.0.0.1:${Number(port)}`, token });
      try {
        const { agentUrl } = await client.ready();
        await onUp(client);
        if (life !== this.#life) return await client.close();
        this.#agentUrl = agentUrl;
        this.#client = client;
        this.#wasUp = true;
        return;
      } catch (error) {
        log.debug({ err: error, worker: this.index }, "worker does not answer yet");
        await client.close();
      }
      await sleep(waitMs);
    }
  }

  async #forget(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.close();
  }
}

/** Of its record and its log. */
export const nameOf = (index: number) => `proxy-worker-${index}`;

/** Differs for another plan, another token and another build: such a worker is not adopted. */
async function digestOf(
  { entry, secret, token, logLevel }: WorkerOptions,
  plan: string,
): Promise<string> {
  const { size, mtimeMs } = await stat(entry);
  const parts = JSON.stringify([plan, token, logLevel, size, mtimeMs]);
  return createHmac("sha256", secret).update(parts).digest("hex").slice(0, 32);
}

/** Ends a worker that runs by another plan, and finds out whether the port of one that is to be started is free. */
async function reconcile(plan: Plan, index: number, argv: readonly string[]): Promise<void> {
  const record = await recoverRecord(recordsDirectory(plan.dataDir), nameOf(index));
  if (record && (await isAlive(record))) {
    if (record.argv.join("\0") === argv.join("\0")) return;
    await stopRecorded(record, { graceMs: (plan.drainSeconds ?? 0) * 1_000 + STOP_GRACE_MS });
  }
  const { port = 0, host = "127.0.0.1" } = plan;
  if (port !== 0 && (await probePort(port, host)) === null)
    throw new AppError("UNAVAILABLE", {
      userMessage: `Port ${port} of ${host}, for sessions of worker ${index}, is in use: end what listens there, or choose another one.`,
    });
}
