import { expectedValues, HIDDEN_ARGUMENTS, type RepairTask } from "@liverl/contract/repair-task";
import { isExpected, showOutput } from "#verifier/check-outputs.ts";
import type { CandidateRun, CodePool } from "#verifier/code-pool.ts";

export interface RepairVerdict {
  reward: 0 | 1;
  outcome: CandidateRun["outcome"] | "passed" | "failed";
  /** What `test-stdout.txt` holds. */
  report: string;
  /** One by one; empty where the candidate's code did not run. */
  tests: RepairTest[];
}

export interface RepairTest {
  /** `floor(12, 5)`. */
  name: string;
  isRight: boolean;
  /** What came out, and of a failure what should have. */
  message: string;
}

/**
 * Runs the hidden tests. The expected values stay in this process; a candidate's own fault is reward 0 with its
 * reason, and {@link TrialError} is thrown where our side failed.
 */
export async function verifyRepair(
  pool: CodePool,
  task: RepairTask,
  source: string,
): Promise<RepairVerdict> {
  const argumentList = HIDDEN_ARGUMENTS.map(([x, y]): [number, number] => [x, y]);
  const run = await pool.run({
    source,
    functionNames: task.functions.map((fn) => fn.name),
    argumentList,
  });
  if (run.outcome !== "ran") {
    return {
      reward: 0,
      outcome: run.outcome,
      report: `${run.outcome.toUpperCase()}: ${run.detail}\nreward 0\n`,
      tests: [],
    };
  }
  const expected = expectedValues(task, HIDDEN_ARGUMENTS);
  const tests: RepairTest[] = [];
  for (const [i, fn] of task.functions.entries()) {
    for (const [j, [x, y]] of argumentList.entries()) {
      const wanted = expected[i]?.[j];
      const output = run.outputs[i]?.[j];
      const isRight = wanted !== undefined && isExpected(output, wanted);
      const message = `${showOutput(output)}${isRight ? "" : `, expected ${wanted}`}`;
      tests.push({ name: `${fn.name}(${x}, ${y})`, isRight, message });
    }
  }
  const failures = tests.filter(({ isRight }) => !isRight).length;
  const reward = failures === 0 ? 1 : 0;
  const lines = [
    ...tests.map(({ name, isRight, message }) => `${isRight ? "ok" : "FAIL"} ${name} = ${message}`),
    ...[`${tests.length - failures} passed, ${failures} failed`, `reward ${reward}`, ""],
  ];
  return { reward, outcome: reward === 1 ? "passed" : "failed", report: lines.join("\n"), tests };
}
