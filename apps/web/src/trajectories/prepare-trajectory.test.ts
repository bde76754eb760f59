import type { TrajectoryView } from "@liverl/contract/views";
import { describe, expect, test } from "vitest";
import { findText, splitByMatch } from "#trajectories/find-text.ts";
import { linesOfFile } from "#trajectories/lines-of-file.ts";
import { countPatch, parsePatch } from "#trajectories/parse-patch.ts";
import { endedAs, formatAdvantage, formatVersions } from "#trajectories/prepare-facts.ts";
import { prepareOutcome } from "#trajectories/prepare-outcome.ts";
import { prepareOutline } from "#trajectories/prepare-outline.ts";
import { closeTurn, prepareParts } from "#trajectories/prepare-parts.ts";
import { preparePhasePaths, prepareTimeline, turnAt } from "#trajectories/prepare-timeline.ts";
import { buildOutline as outline, buildTurn as turn } from "#trajectories/testing/build-turn.ts";

const call = (name: string, argumentsText = "{}") => ({
  id: name,
  name,
  argumentsText,
  summary: argumentsText === "{}" ? "" : argumentsText,
  diff: null,
});

describe("prepareParts", () => {
  test("text, calls and control tokens are told apart by token", () => {
    const sampled = turn(1, {
      texts: [
        "I",
        " edit",
        "<tool",
        "_call>",
        "{}",
        "</tool_call>",
        "<tool_call>",
        "x",
        "</tool",
        "_call>",
        "<|im_end|>",
      ],
      toolCalls: [call("edit"), call("test")],
    });
    expect(
      prepareParts(sampled).map((part) => [part.kind, part.from, part.to, part.call?.name ?? null]),
    ).toEqual([
      ["text", 0, 2, null],
      ["call", 2, 6, "edit"],
      ["call", 6, 10, "test"],
      ["control", 10, 11, null],
    ]);
  });
  test("an unclosed call ends before the control token, and has no parsed call", () => {
    expect(
      prepareParts(turn(1, { texts: ["<tool_call>", "{", "<|im_end|>"] })).map((part) => [
        part.kind,
        part.from,
        part.to,
      ]),
    ).toEqual([
      ["call", 0, 2],
      ["control", 2, 3],
    ]);
  });
  test("a call that no token shows still appears", () => {
    expect(
      prepareParts(turn(1, { texts: ["ok"], toolCalls: [call("test")] })).at(-1),
    ).toMatchObject({ kind: "call", from: 1, to: 1 });
    expect(prepareParts(turn(1, { texts: [] }))).toEqual([]);
    // Of a range that does not reach it, it is told later.
    const cut = turn(1, { texts: ["ok"], toolCalls: [call("test")], isEnd: false });
    expect(prepareParts(cut).map(({ kind }) => kind)).toEqual(["text"]);
  });
  test("of a turn of dozens of calls the first eight are shown until it is opened", () => {
    const block = ["<tool_call>", "{}", "</tool_call>"];
    const texts = Array.from({ length: 25 }, () => block).flat();
    const closed = closeTurn(turn(1, { texts: ["I", ...texts] }));
    expect(closed.tokens.text).toHaveLength(1 + 8 * block.length);
    expect(closed.tokens.ids).toHaveLength(1 + 8 * block.length);
    expect(closed.isEnd).toBe(false);
    expect(prepareParts(closed).map(({ kind }) => kind)).toEqual([
      "text",
      ...Array.from({ length: 8 }, () => "call"),
    ]);
    const short = turn(1, { texts: [...texts.slice(0, 8 * block.length), "done"] });
    expect(closeTurn(short)).toBe(short);
  });
  test("every token is in exactly one part", () => {
    for (const texts of [
      ["<tool_call></tool_call><tool_call>", "x</tool_call>", "b"],
      ["a<tool_call>b", "c"],
      ["<|a|>", "<|b|>", "t", "<|c|>"],
    ]) {
      const parts = prepareParts(turn(1, { texts }));
      expect(
        parts.flatMap((part) =>
          Array.from({ length: part.to - part.from }, (_, at) => part.from + at),
        ),
      ).toEqual(texts.map((_, at) => at));
    }
  });
});

test("the outline names turns, marks failures and shows where the weights changed", () => {
  const rows = prepareOutline([
    outline(0, { kind: "given", role: "system", turn: null, label: "Fix." }),
    outline(1, { kind: "given", role: "user", turn: null, label: "src/a.js" }),
    outline(2, { toolCalls: [{ id: "a", name: "edit", summary: "line 2 · return a" }] }),
    outline(3, { kind: "given", role: "tool", turn: null, failed: true }),
    outline(4, {
      turn: 2,
      toolCalls: [{ id: "b", name: "submit", summary: "" }],
      versions: [[4, 1]],
    }),
    outline(5, { kind: "given", role: "user", turn: null, label: "ERROR bad call", failed: true }),
  ]);
  expect(
    rows.map((row) => (row.kind === "break" ? row.label : `${row.label}${row.failed ? " !" : ""}`)),
  ).toEqual([
    "System prompt",
    "Task",
    "edit line 2 · return a !",
    "weights v3 → v4",
    "submit !",
    "ERROR bad call",
  ]);
});

test("a node of the system's and the user's message is called by both", () => {
  const roles = ["system", "user"];
  const rows = prepareOutline([outline(0, { kind: "given", role: "user", roles, turn: null })]);
  expect(rows).toMatchObject([{ label: "System prompt, Task", icon: "flag" }]);
});

test("the time strip fills its width and sums phases", () => {
  const strip = prepareTimeline([
    { phase: "queue", startS: -1, endS: 0, turn: null },
    { phase: "generate", startS: 0, endS: 2, turn: 1 },
    { phase: "tool", startS: 2, endS: 2.5, turn: 1 },
    { phase: "generate", startS: 2.5, endS: 3, turn: 2 },
  ]);
  expect(strip?.totalS).toBe(4);
  expect(strip?.bars[1]).toMatchObject({ left: 25, width: 50 });
  expect(strip?.totals).toEqual([
    { phase: "queue", seconds: 1 },
    { phase: "generate", seconds: 2.5 },
    { phase: "tool", seconds: 0.5 },
  ]);
  expect(prepareTimeline([])).toBeNull();
  expect([0, 26, 76, 80, 100].map((percent) => turnAt(strip?.bars ?? [], percent))).toEqual([
    ...[1, 1, 1, 1, 2],
  ]);
});

test("the bars of a phase are one shape; the shortest is still seen", () => {
  const bar = { turn: null, seconds: 1, startS: 0 };
  const paths = preparePhasePaths([
    { ...bar, phase: "generate", left: 0, width: 50 },
    { ...bar, phase: "tool", left: 50, width: 0.001 },
    { ...bar, phase: "generate", left: 60, width: 40 },
  ]);
  expect(paths).toEqual([
    { phase: "generate", path: "M0.000 0h49.920v1h-49.920zM60.000 0h39.920v1h-39.920z" },
    { phase: "tool", path: "M50.000 0h0.080v1h-0.080z" },
  ]);
});

test("a unified diff is read with its line numbers", () => {
  const lines = parsePatch(
    "diff --git a/src/a.js b/src/a.js\n--- a/src/a.js\n+++ b/src/a.js\n@@ -1,3 +1,3 @@\n function f() {\n-  return a\n+  return b\n }\n\\ No newline at end of file\n--- a/b.js\n+++ b/b.js\n@@ -1 +1 @@\n-x\n+y\n",
  );
  expect(lines.map((line) => [line.kind, line.before, line.after])).toEqual([
    ["file", null, null],
    ["hunk", null, null],
    ["same", 1, 1],
    ["remove", 2, null],
    ["add", null, 2],
    ["same", 3, 3],
    ["note", null, null],
    ["file", null, null],
    ["hunk", null, null],
    ["remove", 1, null],
    ["add", null, 1],
  ]);
  expect(countPatch(lines)).toEqual({ added: 2, removed: 2 });
  expect(parsePatch("not a diff")).toEqual([
    { kind: "note", text: "not a diff", before: null, after: null },
  ]);
});

test("find leaves case aside", () => {
  expect(findText("aXbxx", "x")).toEqual([1, 3, 4]);
  expect(splitByMatch("aXb", "x")).toEqual([
    { text: "a", isMatch: false },
    { text: "X", isMatch: true },
    { text: "b", isMatch: false },
  ]);
  expect(splitByMatch("ab", "")).toEqual([{ text: "ab", isMatch: false }]);
});

test("facts read as words", () => {
  expect([formatAdvantage(-0.8), formatAdvantage(0), formatAdvantage(null)]).toEqual([
    "−0.80",
    "±0",
    "—",
  ]);
  expect([formatVersions([3, 3]), formatVersions([3, 4]), formatVersions(null)]).toEqual([
    "v3",
    "v3–v4",
    "—",
  ]);
  expect(endedAs({ termination: null, status: "running", error: null })).toBe("running");
});

test.each([
  ["trial.log", "one\ntwo\n", ["one", "two"]],
  ["a.json", '{"b":1}', ["{", '  "b": 1', "}"]],
  ["a.json", '{"b":', ['{"b":']],
  ["a.jsonl", '{"b":1}', ['{"b":1}']],
  ["empty", "", []],
])("lines of %s", (path, text, lines) => {
  expect(linesOfFile(path, text)).toEqual(lines);
});

const rollout = { status: "succeeded", reward: 0, error: null } as TrajectoryView["rollout"];
const said = { stdout: "", rewards: null, integrity: [], steps: [], tests: null };
test.each([
  [{ rollout: { ...rollout, reward: 1 }, verifier: null }, "Solved"],
  [{ rollout, verifier: { ...said, outcome: "failed", passed: 12, total: 14 } }, "2 tests failed"],
  [
    { rollout, verifier: { ...said, outcome: "timeout", passed: null, total: null } },
    "Not solved: timeout",
  ],
  [
    {
      rollout: {
        ...rollout,
        status: "failed" as const,
        reward: null,
        error: { exception_type: "AgentTimeoutError", exception_message: "", occurred_at: "" },
      },
      verifier: null,
    },
    "No reward: AgentTimeoutError",
  ],
  [
    { rollout: { ...rollout, status: "running" as const, reward: null }, verifier: null },
    "Running",
  ],
])("the outcome says %#", (view, text) => {
  expect(prepareOutcome(view).text).toBe(text);
});
