import { expect, test } from "vitest";
import { type ConditionFlags, parseCondition } from "#commands/parse-condition.ts";

test.each<[ConditionFlags, unknown]>([
  [{}, null],
  [{ sign: ["stall"] }, { kind: "sign", signs: ["stall"] }],
  [{ word: ["Down"] }, { kind: "word", words: ["Down"] }],
  [{ status: ["failed"] }, { kind: "status", statuses: ["failed"] }],
  [
    { metric: "kl", above: 0.1, steps: 3 },
    { kind: "threshold", metric: "kl", side: "above", value: 0.1, steps: 3 },
  ],
  [
    { metric: "kl", below: 0 },
    { kind: "threshold", metric: "kl", side: "below", value: 0, steps: 1 },
  ],
  [
    { metric: "r", falls: 20 },
    { kind: "change", metric: "r", direction: "falls", percent: 20, steps: 5 },
  ],
  [
    { metric: "loss", z: 6 },
    { kind: "z-score", metric: "loss", z: 6, window: 50 },
  ],
])("%j is a condition", (flags, condition) => expect(parseCondition(flags)).toEqual(condition));

test.each<[ConditionFlags, RegExp]>([
  [{ metric: "kl" }, /in one way/],
  [{ steps: 5 }, /in one way/],
  [{ metric: "kl", above: 1, below: 0 }, /in one way/],
  [{ sign: ["stall"], word: ["Down"] }, /in one way/],
  [{ above: 1 }, /--metric KEY/],
  [{ metric: "kl", rises: -5 }, /more than 0 %/],
  [{ metric: "kl", z: 6, steps: 3 }, /at least 10 steps/],
])("%j is refused in words", (flags, message) => {
  expect(() => parseCondition(flags)).toThrow(message);
  expect(() => parseCondition(flags)).toThrow(expect.objectContaining({ exit: 2 }));
});
