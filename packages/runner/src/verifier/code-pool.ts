import { TrialError } from "#trials/trial-error.ts";
import { CodeProcess, KILL_AFTER_MS, type ProcessOutcome } from "#verifier/code-process.ts";
import type { CandidateJob } from "#verifier/run-candidate.ts";

/** A value that a candidate returned; `type` alone where it is neither number nor boolean, `threw` where it threw. */
export type Output =
  | { type: "number"; value: number }
  | { type: "boolean"; value: boolean }
  | { type: "other"; name: string }
  | { type: "threw" };

export type CandidateRun =
  | { outcome: "ran"; outputs: Output[][] }
  | { outcome: "timeout" | "memory" | "threw" | "tampered" | "exited"; detail: string };

export interface CodePool {
  /** Runs a candidate. Throws {@link TrialError} when the process died twice for no cause that we saw. */
  run(job: CandidateJob): Promise<CandidateRun>;
  /** Starts a process before the first candidate comes. */
  warm(): void;
  close(): Promise<void>;
}

const RECYCLE_AFTER = 1_000;
const TRIES = 2;
/** Node's exit code for a flag that it does not know: https://nodejs.org/api/process.html#exit-codes. */
const BAD_OPTION = 9;

export interface CodePoolOptions {
  entry: string;
  size: number;
  /** Told once when this Node can not confine the processes. */
  warn: (text: string) => void;
}

/** `size` warm worker processes, each recycled after 1,000 candidates and after anything odd. */
export function openCodePool(options: CodePoolOptions): CodePool {
  return new WarmCodePool(options);
}

class WarmCodePool implements CodePool {
  readonly #entry: string;
  readonly #warn: (text: string) => void;
  readonly #idle: CodeProcess[] = [];
  readonly #waiting: ((slot: CodeProcess | null) => void)[] = [];
  readonly #live = new Set<CodeProcess>();
  /** Slots without a process yet. */
  #vacant: number;
  /** Until Node said that it does not know the flags of the permission model. */
  #isConfined = true;
  #isClosed = false;

  constructor({ entry, size, warn }: CodePoolOptions) {
    this.#entry = entry;
    this.#warn = warn;
    this.#vacant = size;
  }

  async run(job: CandidateJob): Promise<CandidateRun> {
    let last = "";
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const worker = await this.#take();
      const outcome = await worker.run(job);
      const isSound =
        outcome.kind === "answered" &&
        outcome.answer.outcome !== "timeout" &&
        worker.taken < RECYCLE_AFTER;
      this.#giveBack(worker, isSound);
      if (outcome.kind !== "died") return judge(job, outcome);
      last = outcome.detail;
    }
    throw new TrialError(
      "VerifierCrashError",
      `The process that runs candidates died twice (${last}) for no cause that was seen.`,
    );
  }

  warm(): void {
    this.#take().then(
      (worker) => this.#giveBack(worker, true),
      // Whoever asks for it next is told of a failure.
      () => undefined,
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#live].map((worker) => worker.kill()));
  }

  async #take(): Promise<CodeProcess> {
    if (this.#isClosed) throw new TrialError("VerifierCrashError", "The runner is shutting down.");
    const idle = this.#idle.pop();
    if (idle && !idle.isGone) return idle;
    if (idle) {
      this.#live.delete(idle);
      return this.#start();
    }
    if (this.#vacant > 0) {
      this.#vacant--;
      return this.#start();
    }
    const handed = await new Promise<CodeProcess | null>((resolve) => this.#waiting.push(resolve));
    return handed ?? this.#start();
  }

  #giveBack(worker: CodeProcess, isSound: boolean): void {
    if (!isSound) {
      this.#live.delete(worker);
      void worker.kill();
    }
    this.#giveSlot(isSound ? worker : null);
  }

  /** To whoever waits longest, with a process or without. */
  #giveSlot(worker: CodeProcess | null): void {
    const next = this.#waiting.shift();
    if (next) next(worker);
    else if (worker) this.#idle.push(worker);
    else this.#vacant++;
  }

  async #start(): Promise<CodeProcess> {
    for (let attempt = 0; attempt < TRIES && !this.#isClosed; ) {
      const worker = new CodeProcess(this.#entry, { isConfined: this.#isConfined });
      this.#live.add(worker);
      if (await worker.ready) return worker;
      this.#live.delete(worker);
      await worker.kill();
      if (this.#isConfined && worker.exitCode === BAD_OPTION) this.#loosen();
      else attempt++;
    }
    this.#giveSlot(null);
    throw new TrialError("VerifierCrashError", "The process that runs candidates does not start.");
  }

  #loosen(): void {
    this.#isConfined = false;
    this.#warn(
      "This Node has no permission model: the processes that run candidates are not confined to their own file.",
    );
  }
}

function judge(
  job: CandidateJob,
  outcome: Exclude<ProcessOutcome, { kind: "died" }>,
): CandidateRun {
  switch (outcome.kind) {
    case "garbled":
      return { outcome: "tampered", detail: "the worker's answer is not of its shape" };
    case "timeout":
      return { outcome: "timeout", detail: `still running after ${KILL_AFTER_MS / 1000} s` };
    case "memory":
      return { outcome: "memory", detail: "more memory than allowed" };
    case "exited":
      return { outcome: "exited", detail: `the process exited with code ${outcome.code}` };
    case "answered":
      return judgeAnswer(job, outcome.answer);
  }
}

function judgeAnswer(
  job: CandidateJob,
  answer: { outcome: string; outputs: string; detail: string },
): CandidateRun {
  if (answer.outcome === "refused") return { outcome: "tampered", detail: answer.detail };
  if (answer.outcome === "timeout") return { outcome: "timeout", detail: answer.detail };
  if (answer.outcome === "threw") return { outcome: "threw", detail: answer.detail };
  const columns = job.argumentList.length;
  const outputs = answer.outputs.split(" ").map(parseOutput);
  if (outputs.length !== job.functionNames.length * columns || outputs.includes(null)) {
    return { outcome: "tampered", detail: "the results are not of their shape" };
  }
  const sound = outputs.filter((output) => output !== null);
  return {
    outcome: "ran",
    outputs: job.functionNames.map((_, row) => sound.slice(row * columns, (row + 1) * columns)),
  };
}

function parseOutput(token: string): Output | null {
  if (token === "!") return { type: "threw" };
  if (token === "bt" || token === "bf") return { type: "boolean", value: token === "bt" };
  if (/^x[a-z]{1,10}$/.test(token)) return { type: "other", name: token.slice(1) };
  if (!/^n(-?(\d|Infinity)|NaN)/.test(token) || token.length > 32) return null;
  const value = Number(token.slice(1));
  return Number.isNaN(value) && token !== "nNaN" ? null : { type: "number", value };
}
