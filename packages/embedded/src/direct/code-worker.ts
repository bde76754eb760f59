import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expectedValues, type RepairTask } from "@liverl/contract/repair-task";
import { z } from "zod";

/** Runs a candidate's code and compares. */
export interface CandidateCheck {
  /** Index of the first function that is wrong on `argumentList`, or null when all are right. */
  firstWrongFunction(
    task: RepairTask,
    lines: readonly string[],
    argumentList: readonly (readonly [number, number])[],
  ): Promise<number | null>;
}

const Answer = z.object({ id: z.number(), outputs: z.string() });

/**
 * The process that runs candidates for the trial runner, spoken to by its line protocol: the same work for each
 * candidate, without the runner's watch over it. For the direct loop, whose code comes from the embedded policy alone.
 */
export class CodeWorker implements CandidateCheck {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (outputs: string) => void>();
  #nextId = 1;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
  }

  /** `entry`: path of the bundled code-worker.mjs. */
  static async start(entry: string): Promise<CodeWorker> {
    const flags = ["--disallow-code-generation-from-strings", "--frozen-intrinsics"];
    const child = spawn(process.execPath, ["--no-warnings", ...flags, entry], { env: {} });
    const worker = new CodeWorker(child);
    const lines = createInterface(child.stdout);
    await once(lines, "line");
    lines.on("line", (line) => {
      const { id, outputs } = Answer.parse(JSON.parse(line));
      worker.#waiting.get(id)?.(outputs);
      worker.#waiting.delete(id);
    });
    lines.once("close", () => {
      if (worker.#waiting.size > 0)
        throw new Error("the code worker ended in the middle of its work");
    });
    return worker;
  }

  async firstWrongFunction(
    task: RepairTask,
    lines: readonly string[],
    argumentList: readonly (readonly [number, number])[],
  ): Promise<number | null> {
    const id = this.#nextId++;
    const answer = new Promise<string>((resolve) => this.#waiting.set(id, resolve));
    const job = {
      id,
      source: lines.join("\n"),
      functionNames: task.functions.map(({ name }) => name),
      argumentList,
    };
    this.#child.stdin.write(`${JSON.stringify(job)}\n`);
    // One token a call, function by function; none where the code does not run at all.
    const outputs = (await answer).split(" ");
    const wrong = expectedValues(task, argumentList).findIndex((row, i) =>
      row.some((value, j) => outputs[i * argumentList.length + j] !== tokenOf(value)),
    );
    return wrong === -1 ? null : wrong;
  }

  close(): void {
    this.#child.stdin.end();
  }
}

function tokenOf(value: number | boolean): string {
  if (typeof value === "boolean") return value ? "bt" : "bf";
  return `n${value}`;
}
