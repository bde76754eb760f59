import { expect, test } from "vitest";
import { hearValue, sendValue } from "#filters/use-draft.ts";

test("what was sent is an echo, once, and also when a later one was sent meanwhile", () => {
  const sent = sendValue(sendValue([], "", "turns > 3"), "", "turns > 30 ");
  expect(sent).toEqual(["turns > 3", "turns > 30"]);
  const first = hearValue(sent, "turns > 3");
  expect(first).toEqual({ sent: ["turns > 30"], isEcho: true });
  expect(hearValue(first.sent, "turns > 30")).toEqual({ sent: [], isEcho: true });
  expect(hearValue([], "turns > 3").isEcho).toBe(false);
});

test("several that were sent come as the last of them", () => {
  expect(hearValue(["a", "ab", "abc"], "ab")).toEqual({ sent: ["abc"], isEcho: true });
});

test("what changes nothing has no echo, so that Back to it is heard", () => {
  expect(sendValue([], "reward = 1", "reward = 1 ")).toEqual([]);
  expect(sendValue(["a"], "", "a")).toEqual(["a"]);
  expect(sendValue(["a"], "", "")).toEqual([]);
});

test("a value from outside ends the wait for echoes", () => {
  expect(hearValue(["turns > 3"], "tag = odd")).toEqual({ sent: [], isEcho: false });
});
