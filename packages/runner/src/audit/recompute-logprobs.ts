import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { SampledCall } from "#audit/check-call.ts";

const Answer = z.looseObject({ maxDiff: z.number().nullable() });
/** Calls that the other process may be behind: bounds memory on both sides. */
const MAX_IN_FLIGHT = 256;

/**
 * The process of its own that computes log-probs anew from the stored weights of each version: one JSON line in,
 * one out, in the same order.
 */
export class LogprobRecomputation {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #runDir: string;
  readonly #answer: (callId: string, maxDiff: number) => void;
  readonly #inFlight: string[] = [];
  readonly #ended: Promise<void>;
  #wake: (() => void) | null = null;
  #isGone = false;
  #stderr = "";

  constructor(options: {
    entry: string;
    runDir: string;
    onAnswer: (callId: string, maxDiff: number) => void;
  }) {
    this.#runDir = options.runDir;
    this.#answer = options.onAnswer;
    this.#child = spawn(process.execPath, [options.entry], { stdio: "pipe" });
    this.#child.stdin.on("error", () => undefined);
    this.#child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderr = (this.#stderr + chunk).slice(-2_000);
    });
    const lines = createInterface({ input: this.#child.stdout });
    lines.on("line", (line) => this.#take(line));
    const closed = new Promise<void>((resolve) => lines.once("close", () => resolve()));
    this.#ended = new Promise((resolve) => {
      const end = () => {
        this.#isGone = true;
        this.#wake?.();
        resolve();
      };
      this.#child.once("error", end);
      this.#child.once("close", () => void closed.then(end));
    });
  }

  async push(call: SampledCall): Promise<void> {
    while (this.#inFlight.length >= MAX_IN_FLIGHT && !this.#isGone) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const { callId, ...sampled } = call;
    this.#inFlight.push(callId);
    if (!this.#isGone)
      this.#child.stdin.write(`${JSON.stringify({ runDir: this.#runDir, ...sampled })}\n`);
  }

  async pushAll(calls: readonly SampledCall[]): Promise<void> {
    for (const call of calls) await this.push(call);
  }

  /** Resolves to the calls that got no answer, with what the process said last. */
  async finish(): Promise<{ unanswered: string[]; why: string }> {
    this.#child.stdin.end();
    await this.#ended;
    return { unanswered: [...this.#inFlight], why: this.#stderr.trim() };
  }

  #take(line: string): void {
    const callId = this.#inFlight.shift();
    if (callId === undefined) return;
    const parsed = Answer.safeParse(parseJson(line));
    this.#answer(callId, parsed.data?.maxDiff ?? Number.POSITIVE_INFINITY);
    this.#wake?.();
    this.#wake = null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
