import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseConsoleStep } from "#drivers/verl/parse-console-step.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`__fixtures__/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "");

test("real console lines say what verl's file logger wrote of the same steps", () => {
  const files = fixture("metrics-sync.jsonl").map(
    (line) => JSON.parse(line) as { step: number; data: Record<string, unknown> },
  );
  const steps = fixture("console-sync.txt").map(parseConsoleStep);
  expect(steps).toHaveLength(3);
  for (const [i, { step, data }] of files.entries()) {
    expect(steps[i]?.step).toBe(step);
    // The file logger writes null for NaN; other than numbers are not printed at all.
    const numbers = Object.entries(data).map(([key, value]) => [key, value ?? "NaN"]);
    expect(steps[i]?.data).toEqual(Object.fromEntries(numbers));
  }
});

test.each([
  ["step:3 - a/b:0.5", { step: 3, data: { "a/b": 0.5 } }],
  [
    "Training:  10%| step:12 - x:-1e-06 - y:nan - z:-inf",
    { step: 12, data: { x: -1e-6, y: "NaN", z: "-Infinity" } },
  ],
  [
    "(TaskRunner pid=7, ip=10.0.0.1) step:1 - ok:True - n:np.int64(4)",
    { step: 1, data: { ok: 1, n: 4 } },
  ],
  ["step:1 - val/a:b/mean@1:2.5 - odd", { step: 1, data: { "val/a:b/mean@1": 2.5 } }],
  ["step:1 - nothing here", null],
  ["global_step: 4", null],
  ["substep:1 - a:1", null],
])("%j", (line, expected) => {
  expect(parseConsoleStep(line)).toEqual(expected);
});
