import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentCommand,
  type AgentJob,
  type AgentReport,
  WorkerMessage,
} from "#scaffolds/agent-messages.ts";
import { TrialError } from "#trials/trial-error.ts";

export interface AgentPool {
  /**
   * Runs an agent to its end. An abort of the signal ends it early, with `termination: "timeout"`.
   * Throws {@link TrialError} when its worker died or does not answer the abort.
   */
  run(job: Omit<AgentJob, "kind">, signal: AbortSignal): Promise<AgentReport>;
  /** Starts the worker before the first agent asks for it. */
  warm(): void;
  readonly restarts: number;
  /** Of the worker; null while there is none. */
  readonly pid: number | null;
  close(): Promise<void>;
}

interface Waiting {
  resolve: (report: AgentReport) => void;
  reject: (error: unknown) => void;
}

/** An aborted agent answers at once; one that does not is given up. */
const ABORT_GRACE_MS = 3_000;
const RESTART_MS = 200;

/** One warm worker process for all agents; started again when it dies, and its agents fail with a typed error. */
export function openAgentPool({
  entry,
  codeWorkerEntry,
}: {
  entry: string;
  codeWorkerEntry: string;
}): AgentPool {
  return new WarmAgentPool(entry, codeWorkerEntry);
}

class WarmAgentPool implements AgentPool {
  readonly #entry: string;
  readonly #codeWorkerEntry: string;
  readonly #waiting = new Map<string, Waiting>();
  #child: Promise<ChildProcess> | null = null;
  #isClosed = false;
  restarts = 0;
  pid: number | null = null;

  constructor(entry: string, codeWorkerEntry: string) {
    this.#entry = entry;
    this.#codeWorkerEntry = codeWorkerEntry;
  }

  async run(job: Omit<AgentJob, "kind">, signal: AbortSignal): Promise<AgentReport> {
    const child = await this.#worker();
    return await new Promise<AgentReport>((resolve, reject) => {
      const onAbort = () => {
        send(child, { kind: "abort", sessionId: job.sessionId });
        void sleep(ABORT_GRACE_MS, undefined, { ref: false }).then(() =>
          settle(() =>
            reject(
              new TrialError("AgentWorkerError", "The process that runs agents does not answer."),
            ),
          ),
        );
      };
      const settle = (finish: () => void) => {
        signal.removeEventListener("abort", onAbort);
        if (this.#waiting.delete(job.sessionId)) finish();
      };
      this.#waiting.set(job.sessionId, {
        resolve: (report) => settle(() => resolve(report)),
        reject: (error) => settle(() => reject(error)),
      });
      send(child, { kind: "start", ...job });
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  warm(): void {
    // Whoever asks for it next is told of a failure.
    this.#worker().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const child = await this.#child?.catch(() => null);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.disconnect();
    await Promise.race([gone, sleep(1_000, undefined, { ref: false })]);
    child.kill("SIGKILL");
  }

  #worker(): Promise<ChildProcess> {
    this.#child ??= this.#start();
    return this.#child;
  }

  async #start(): Promise<ChildProcess> {
    if (this.#isClosed) throw new TrialError("AgentWorkerError", "The runner is shutting down.");
    const child = fork(this.#entry, [this.#codeWorkerEntry], {
      env: {},
      execArgv: ["--max-old-space-size=512"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const ready = new Promise<boolean>((resolve) => {
      child.on("message", (raw) => {
        const message = WorkerMessage.parse(raw);
        if (message.kind === "ready") resolve(true);
        else this.#waiting.get(message.report.sessionId)?.resolve(message.report);
      });
      child.once("exit", () => resolve(false));
      child.once("error", () => resolve(false));
    });
    child.once("exit", (code, signal) => this.#lose(code, signal));
    this.pid = child.pid ?? null;
    if (await ready) return child;
    this.#child = null;
    throw new TrialError("AgentWorkerError", "The process that runs agents does not start.");
  }

  #lose(code: number | null, signal: NodeJS.Signals | null): void {
    this.#child = null;
    this.pid = null;
    if (this.#isClosed) return;
    this.restarts++;
    const error = new TrialError(
      "AgentWorkerError",
      `The process that runs agents died (${signal ?? code}).`,
    );
    for (const waiting of [...this.#waiting.values()]) waiting.reject(error);
    // The next agent needs it at once; meanwhile a crash loop may not eat a core.
    this.#child = sleep(RESTART_MS, undefined, { ref: false }).then(() => this.#start());
    this.#child.catch(() => undefined);
  }
}

function send(child: ChildProcess, command: AgentCommand): void {
  // A failed send means that the worker has died: its exit event rejects what waits.
  if (child.connected) child.send(command, () => undefined);
}
