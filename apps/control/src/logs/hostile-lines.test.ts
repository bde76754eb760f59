import { expect, test } from "vitest";
import { mergeProgress } from "#checkpoints/merge/merge-progress.ts";
import { parseExposition } from "#cluster/parse-exposition.ts";
import { diagnose } from "#diagnosis/diagnose.ts";
import { parseConsoleStep } from "#drivers/verl/parse-console-step.ts";
import { readBootLine } from "#drivers/verl/read-boot-line.ts";
import { levelOfLine } from "#logs/level-of-line.ts";
import { parseLogLine } from "#logs/parse-log-line.ts";
import { parseLoosely } from "#metrics/parse-loosely.ts";
import { parseMetricLine } from "#metrics/parse-metric-line.ts";
import { parseOrder } from "#mlflow/parse-order.ts";
import { countWords } from "#trajectories/read-verifier.ts";

const SIZE = 1_000_000;
/** CPU time on a busy machine; quadratic time takes minutes. */
const MOST_MS = 3_000;

const READERS: Record<string, (line: string) => unknown> = {
  levelOfLine,
  diagnose,
  diagnoseMessage: (line) => diagnose(`ValueError: ${line}`),
  mergeProgress,
  parseConsoleStep,
  readBootLine,
  countWords,
  parseExposition,
  parseLoosely,
  parseMetricLine,
  parseLogLine: (line) => parseLogLine(0, line),
  parseOrder: (line) => {
    try {
      parseOrder([line]);
    } catch {
      // Refused, in time.
    }
  },
};
const PARTS = [
  ...["0", "a", " ", "\t", "(", "[", "{", '"', "\\", "'", "<", "/", "=", "_", "%", "é"],
  ...["(pid=0", "(pid=0)", "[rank0]:", "step:1 - ", "step:1 - actor/a:1 - ", 'a="', "0 passed"],
  ...[
    "placement group ",
    "ProcessGroupNCCL",
    "/dev/shm",
    "(WorkerDict pid",
    "Free memory on device ",
  ],
  ...[
    '{"level":30,"a":',
    "NaN",
    '"\\',
    "Bearer ",
    "key=",
    "password=",
    "eyJ",
    "sk-",
    "://a:",
    "/sess/a/",
  ],
];

test.each(Object.entries(READERS))("%s reads a hostile line of 1 MB in linear time", (_, read) => {
  for (const part of PARTS)
    for (const start of ["", "(pid=", "2026-11-20 20:51:28,522 "]) {
      const line = start + part.repeat(SIZE / part.length);
      const before = process.cpuUsage();
      read(line);
      const { user } = process.cpuUsage(before);
      expect(user / 1_000, `${start}${part}`).toBeLessThan(MOST_MS);
    }
});

// The line of the report: 86 ms each, so that the 500 lines of a page held control for 43 s.
test("500 lines of `(pid=` and digits are read at once", () => {
  const line = `(pid=${"7".repeat(7_990)}`;
  const before = process.cpuUsage();
  for (let i = 0; i < 500; i++) parseLogLine(0, line);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
});

test.each([
  ["(A(b) pid=1, ip=10.0.0.1) ERROR:x", "error"],
  ["(pid=1) (pid=2) [rank0]: WARNING: y", "warn"],
  ["(raylet) ERROR: no pid, so it is part of the line", "unknown"],
  ["(pid=1 and never closed ERROR", "unknown"],
])("the prefix of %s is told from the line", (line, level) => {
  expect(levelOfLine(line)).toBe(level);
});
