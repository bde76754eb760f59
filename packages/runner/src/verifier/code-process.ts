import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { CandidateAnswer, CandidateJob } from "#verifier/run-candidate.ts";

/** What became of one candidate in one process. `died`: no answer, for a cause that is not known to be the candidate's. */
export type ProcessOutcome =
  | { kind: "answered"; answer: CandidateAnswer }
  | { kind: "garbled" }
  | { kind: "timeout" }
  | { kind: "memory" }
  | { kind: "exited"; code: number }
  | { kind: "died"; detail: string };

const WATCH_MS = 25;
/** The most that one look adds to a candidate's time: a machine that stood still between two looks is not its fault. */
const LONGEST_LOOK_MS = 4 * WATCH_MS;
/** Longer than all that the process itself gives a candidate: for one that gets round its limits. */
export const KILL_AFTER_MS = 12_000;
/** Processor time that must be gone before a slow candidate is blamed; a starved one may take until the last limit. */
const KILL_AFTER_CPU_MS = 4_000;
const LAST_LIMIT_MS = 30_000;
const MAX_RSS_BYTES = 256 * 1024 * 1024;
const MAX_LINE_CHARS = 100_000;
const READY_MS = 60_000;
const PAGE_BYTES = 4096;
const MS_PER_TICK = 10;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const PERMISSION =
  major > 23 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13)
    ? "--permission"
    : "--experimental-permission";

/** Flags of a worker: little memory, no code from strings in any realm, frozen intrinsics, no files but its own. */
function workerArguments(entry: string, isConfined: boolean): string[] {
  const path = realpathSync(entry);
  const confinement = isConfined ? [PERMISSION, `--allow-fs-read=${path}`] : [];
  return [
    "--max-old-space-size=64",
    "--no-warnings",
    "--disallow-code-generation-from-strings",
    "--frozen-intrinsics",
    ...confinement,
    path,
  ];
}

/** One worker process, one candidate at a time. */
export class CodeProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #gone: Promise<void>;
  readonly ready: Promise<boolean>;
  /** Candidates that it has taken. */
  taken = 0;
  /** Set once it has ended by itself. */
  exitCode: number | null = null;
  #stderr = "";
  #pending = "";
  #killedFor: "timeout" | "memory" | null = null;
  #settle: ((outcome: ProcessOutcome) => void) | null = null;
  #becomeReady: (isReady: boolean) => void = () => undefined;
  #isGone = false;
  #nextId = 1;
  #jobId = 0;

  constructor(entry: string, { isConfined }: { isConfined: boolean }) {
    this.#child = spawn(process.execPath, workerArguments(entry, isConfined), {
      env: {},
      cwd: "/",
      stdio: "pipe",
    });
    this.ready = new Promise((resolve) => {
      const late = setTimeout(() => resolve(false), READY_MS);
      this.#becomeReady = (isReady) => {
        clearTimeout(late);
        resolve(isReady);
      };
    });
    this.#gone = new Promise((resolve) => {
      this.#child.once("error", () => resolve());
      this.#child.once("close", (code, signal) => {
        this.#isGone = true;
        this.exitCode = code;
        this.#becomeReady(false);
        this.#finish(this.#causeOfDeath(code, signal));
        resolve();
      });
    });
    this.#child.stdout.setEncoding("utf8").on("data", (chunk: string) => this.#read(chunk));
    this.#child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderr = (this.#stderr + chunk).slice(-4_000);
    });
    // A write to a process that has just died: its death is reported by "close".
    this.#child.stdin.on("error", () => undefined);
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  run(job: CandidateJob): Promise<ProcessOutcome> {
    this.taken++;
    this.#jobId = this.#nextId++;
    return new Promise((resolve) => {
      if (this.#isGone) return resolve({ kind: "died", detail: "it was gone before it was asked" });
      const stopWatching = this.#watch();
      this.#settle = (outcome) => {
        stopWatching();
        resolve(outcome);
      };
      this.#child.stdin.write(`${JSON.stringify({ id: this.#jobId, ...job })}\n`);
    });
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#gone;
  }

  #finish(outcome: ProcessOutcome): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(outcome);
  }

  #read(chunk: string): void {
    this.#pending += chunk;
    if (this.#pending.length > MAX_LINE_CHARS) {
      this.#finish({ kind: "garbled" });
      return;
    }
    for (;;) {
      const end = this.#pending.indexOf("\n");
      if (end < 0) return;
      const line = this.#pending.slice(0, end);
      this.#pending = this.#pending.slice(end + 1);
      if (line === '{"ready":true}' && this.taken === 0) this.#becomeReady(true);
      else this.#finish(parseAnswer(line, this.#jobId));
    }
  }

  #causeOfDeath(code: number | null, signal: NodeJS.Signals | null): ProcessOutcome {
    if (this.#killedFor) return { kind: this.#killedFor };
    if (/heap out of memory|Array buffer allocation failed/.test(this.#stderr))
      return { kind: "memory" };
    if (code !== null) return { kind: "exited", code };
    return { kind: "died", detail: signal ?? "unknown" };
  }

  /** Looks at time and memory every 25 ms; most candidates are done before the first look. */
  #watch(): () => void {
    const began = Date.now();
    let lookedAt = began;
    let watchedMs = 0;
    let cpuAtStartMs: number | null = null;
    let timer = setTimeout(() => void look(), WATCH_MS);
    let isOver = false;
    const look = async () => {
      const usage = await this.#usage();
      if (isOver) return;
      cpuAtStartMs ??= usage?.cpuMs ?? null;
      const now = Date.now();
      watchedMs += Math.min(now - lookedAt, LONGEST_LOOK_MS);
      lookedAt = now;
      const cpuMs =
        usage && cpuAtStartMs !== null ? usage.cpuMs - cpuAtStartMs : Number.POSITIVE_INFINITY;
      if (usage && usage.rssBytes > MAX_RSS_BYTES) return this.#killFor("memory");
      if (watchedMs > KILL_AFTER_MS && cpuMs > KILL_AFTER_CPU_MS) return this.#killFor("timeout");
      if (now - began > LAST_LIMIT_MS) return void this.#child.kill("SIGKILL");
      timer = setTimeout(() => void look(), WATCH_MS);
    };
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  #killFor(cause: "timeout" | "memory"): void {
    this.#killedFor = cause;
    this.#child.kill("SIGKILL");
  }

  /** From proc(5) stat; null where there is no /proc. */
  async #usage(): Promise<{ rssBytes: number; cpuMs: number } | null> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, "utf8").catch(() => null);
    if (stat === null) return null;
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      rssBytes: Number(fields[21]) * PAGE_BYTES,
      cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK,
    };
  }
}

/** The line comes from a process that ran hostile code: believed only in exactly this shape. */
function parseAnswer(line: string, id: number): ProcessOutcome {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return { kind: "garbled" };
    const { id: givenId, outcome, outputs, detail } = value as Record<string, unknown>;
    if (givenId !== id || typeof outputs !== "string" || typeof detail !== "string")
      return { kind: "garbled" };
    if (outcome === "starved") return { kind: "died", detail: "the machine was too busy" };
    if (outcome !== "ran" && outcome !== "threw" && outcome !== "timeout" && outcome !== "refused")
      return { kind: "garbled" };
    return { kind: "answered", answer: { outcome, outputs, detail } };
  } catch {
    return { kind: "garbled" };
  }
}
