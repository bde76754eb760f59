import process from "node:process";
import { type Context, constants, createContext, Script } from "node:vm";
import { driveCall, LOCKDOWN } from "#verifier/lockdown.ts";

export interface CandidateJob {
  source: string;
  functionNames: string[];
  argumentList: [number, number][];
}

/**
 * `outputs` is the drive's string, one token a call; `detail` says in words what went wrong. `starved`: time ran out
 * though the candidate hardly had the processor, which is no fault of its own.
 */
export interface CandidateAnswer {
  outcome: "ran" | "threw" | "timeout" | "starved" | "refused";
  outputs: string;
  detail: string;
}

/**
 * A repair takes a millisecond, a loop all of any limit. One limit alone would blame a candidate for a machine that stood
 * still just then, and processor time does not tell: a virtual machine charges its pauses to whoever was running.
 */
const TIMEOUTS_MS = [1_000, 3_000, 6_000];
/** Within one limit: a repair that waits for a busy machine has used up less. */
const LOOP_CPU_MS = 300;
const MAX_SOURCE_CHARS = 20_000;

const lockdown = new Script(LOCKDOWN, { filename: "lockdown.js" });

function freshContext(): Context {
  // An ordinary global, not a proxy for an object of ours: nothing of this realm is reachable from the inside.
  // The types know only objects here; Node takes the symbol since 20.18.
  const vanilla = constants.DONT_CONTEXTIFY as unknown as Context;
  const context = createContext(vanilla, {
    codeGeneration: { strings: false, wasm: false },
    microtaskMode: "afterEvaluate",
  });
  lockdown.runInContext(context);
  return context;
}

/** Runs a candidate in a context of its own. Never throws: what a candidate does is an outcome. */
export function runCandidate(job: CandidateJob): CandidateAnswer {
  const refusal = refuse(job);
  if (refusal) return { outcome: "refused", outputs: "", detail: refusal };
  let answer = threw("");
  for (const [tries, timeoutMs] of TIMEOUTS_MS.entries()) {
    answer = attempt(job, timeoutMs);
    const isLate = answer.outcome === "starved" || (answer.outcome === "timeout" && tries === 0);
    if (!isLate) break;
  }
  return answer;
}

function refuse({ source, functionNames }: CandidateJob): string | null {
  if (source.length > MAX_SOURCE_CHARS)
    return `source is longer than ${MAX_SOURCE_CHARS} characters`;
  // A dynamic import rejects with an error of the outer realm; the word can not be spelled with escapes.
  if (/\bimport\b/.test(source)) return "import is not available here";
  if (!functionNames.every((name) => /^[A-Za-z_$][\w$]*$/.test(name)))
    return "a function name is not an identifier";
  return null;
}

function attempt(job: CandidateJob, timeoutMs: number): CandidateAnswer {
  const context = freshContext();
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  try {
    // One script, because each run with a limit costs a watching thread; the drive's call is its last statement, and
    // nothing before it can swallow it and still be JavaScript.
    const text = `"use strict";${job.source}\n;${driveCall(job.functionNames, job.argumentList)}`;
    const outputs: unknown = new Script(text, { filename: "candidate.js" }).runInContext(context, {
      timeout: timeoutMs,
    });
    return typeof outputs === "string"
      ? { outcome: "ran", outputs, detail: "" }
      : threw("the results are not text");
  } catch (error) {
    // The candidate may throw what looks like Node's error: time must really have passed.
    if (!isTimeout(error) || performance.now() - began < timeoutMs * 0.9)
      return threw(describe(error));
    const { user, system } = process.cpuUsage(cpuBefore);
    const outcome = (user + system) / 1_000 < LOOP_CPU_MS ? "starved" : "timeout";
    return { outcome, outputs: "", detail: `still running after ${timeoutMs} ms` };
  }
}

const threw = (detail: string): CandidateAnswer => ({ outcome: "threw", outputs: "", detail });

/**
 * Node makes its time-out error in the candidate's realm, so it is told by its code; read without running a getter,
 * because the error may be the candidate's own.
 */
function isTimeout(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  return Object.getOwnPropertyDescriptor(error, "code")?.value === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

/** A thrown value may be a trap: only a real SyntaxError of the parser is quoted, everything else is named by type. */
function describe(error: unknown): string {
  if (error instanceof SyntaxError) return `SyntaxError: ${error.message}`.slice(0, 200);
  return `the code threw ${error === null ? "null" : typeof error === "object" ? "an error" : `a ${typeof error}`} when it was loaded`;
}

/** Whether this process can tell right from wrong at all: without it, a fault of ours would look like a candidate's. */
export function checkOneself(): boolean {
  for (;;) {
    const { outcome, outputs } = runCandidate({
      source: "function sum(a, b) { return a + b }\nfunction fail() { throw 1 }",
      functionNames: ["sum", "fail"],
      argumentList: [[1, 2]],
    });
    if (outcome !== "starved") return outcome === "ran" && outputs === "n3 !";
  }
}
