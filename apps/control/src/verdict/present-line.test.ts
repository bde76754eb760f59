import { expect, test } from "vitest";
import { emptyPoints, pushPoint } from "#metrics/chunk-points.ts";
import { NO_SIGNALS } from "#verdict/load-signals.ts";
import { presentLine } from "#verdict/present-line.ts";

/** `[step, wallMs]` of points whose value is the step. */
const points = (...list: [number, number][]) => {
  const all = emptyPoints();
  for (const [seq, [step, wallMs]] of list.entries())
    pushPoint(all, { step, value: step, flag: 0, wallMs, seq });
  return all;
};

test("what the attempt that was thrown away logged behind the checkpoint is no part of the run", () => {
  const known = {
    ...NO_SIGNALS,
    lastStep: 62,
    attemptSinceMs: 1000,
    attemptFromStep: 30,
    signals: new Map([
      ["reward", points([29, 290], [30, 300], [31, 1100], [32, 320], [62, 620])],
      ["gone", points([40, 400])],
    ]),
  };
  const line = presentLine(known);
  expect(line.signals.get("reward")?.step).toEqual([29, 30, 31]);
  expect(line.signals.has("gone")).toBe(false);
  expect(line.lastStep).toBe(31);
  // Before its first step the new attempt stands where its checkpoint does.
  const before = { ...known, signals: new Map([["reward", points([62, 620])]]) };
  expect(presentLine(before).lastStep).toBe(30);
});

test("a run that never went on is as it was logged", () => {
  const known = { ...NO_SIGNALS, lastStep: 2, signals: new Map([["a", points([1, 1], [2, 2])]]) };
  expect(presentLine(known)).toBe(known);
});
