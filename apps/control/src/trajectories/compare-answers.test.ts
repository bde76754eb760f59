import { expect, test } from "vitest";
import { compareAnswers, type JudgedAnswer } from "#trajectories/compare-answers.ts";

const given = (taskId: string, answer: string, reward: number): JudgedAnswer => ({
  ...{ rolloutId: `${taskId}-${answer}-${reward}`, taskId, answer, reward },
});
const before = [given("a", "x", 1), given("b", "x", 0), given("c", "x", 1), given("d", "y", 1)];
const shareOf = (now: JudgedAnswer[], then = before) => compareAnswers(now, then).share;

test("the share of answers that came again with another reward, and whose they are", () => {
  const now = [given("a", "x", 0), given("b", "x", 0), given("c", "x", 1), given("d", "y", 0)];
  expect(compareAnswers(now, before)).toEqual({ share: 0.5, rolloutIds: ["a-x-0", "d-y-0"] });
  expect(compareAnswers(before, before)).toEqual({ share: 0, rolloutIds: [] });
});

test("another task's answer, and another answer to the task, are not the same", () => {
  const others = [given("a", "y", 0), given("d", "x", 0), given("e", "x", 0)];
  expect(compareAnswers(others, before)).toEqual({ share: null, rolloutIds: [] });
});

test("nothing is said of fewer than three, nor of answers that were judged in two ways before", () => {
  const two = [given("a", "x", 0), given("c", "x", 0)];
  expect(shareOf(two)).toBeNull();
  const three = [...two, given("d", "y", 0)];
  expect(shareOf(three)).toBe(1);
  expect(shareOf(three, [...before, given("d", "y", 0)])).toBeNull();
});

test("a reward that is a little other is the same", () => {
  expect(shareOf(before.map((one) => ({ ...one, reward: one.reward * 0.9 })))).toBe(0);
});
