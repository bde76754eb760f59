import {
  surpriseBin,
  type TokenPage,
  type TurnOutline,
  type TurnView,
} from "@liverl/contract/turn-view";
import type { TrajectoryView } from "@liverl/contract/views";
import { describe, expect, test } from "vitest";
import { nextMatch } from "#trajectories/conversation-bar.tsx";
import { findText, splitByMatch } from "#trajectories/find-text.ts";
import { linesOfFile } from "#trajectories/lines-of-file.ts";
import { countPatch, parsePatch } from "#trajectories/parse-patch.ts";
import { endedAs, formatAdvantage, formatVersions } from "#trajectories/prepare-facts.ts";
import { prepareLensChart, tintOf } from "#trajectories/prepare-lens.ts";
import { prepareOutcome } from "#trajectories/prepare-outcome.ts";
import { prepareOutline } from "#trajectories/prepare-outline.ts";
import { prepareParts } from "#trajectories/prepare-parts.ts";
import { prepareRuns } from "#trajectories/prepare-runs.ts";
import { prepareTimeline, turnAt } from "#trajectories/prepare-timeline.ts";
import {
  countTokens,
  countTrained,
  positionOf,
  prepareToken,
  showToken,
  tokenAt,
  tokenBytes,
} from "#trajectories/prepare-tokens.ts";
import { tokenAtOffset } from "#trajectories/token-at-point.ts";

const turn = (nodeId: number, change: Partial<TurnView> & { texts?: string[] } = {}): TurnView => {
  const { texts = ["a"], ...rest } = change;
  return {
    ...{ nodeId, kind: "sampled", trained: true, from: 0, isEnd: true, text: "", toolCalls: [] },
    tokens: {
      ids: texts.map((_, at) => 100 + at),
      text: texts,
      logprobs: texts.map((_, at) => -at / 2),
      versions: texts.map(() => 3),
    },
    ...rest,
  };
};
const outline = (nodeId: number, change: Partial<TurnOutline> = {}): TurnOutline => ({
  ...{ nodeId, kind: "sampled", role: "assistant", turn: 1, label: "", characters: 0, lines: 0 },
  ...{ toolCalls: [], toolCallId: null, failed: false, trained: true, at: 0, tokens: 1 },
  ...{ versions: [[3, change.tokens ?? 1]], lossy: null, startedAt: null, firstTokenAt: null },
  ...{ endedAt: null, stopReason: null },
  ...change,
});
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

describe("lens", () => {
  const sampled = turn(1, { texts: ["a", "b", "c", "d", "e", "f"] });
  const given = turn(0, {
    kind: "given",
    trained: false,
    tokens: { ids: [1], text: ["x"], logprobs: null, versions: null },
  });
  test("tints follow −log p, the version mod 4 and the mask", () => {
    expect([0, 1, 2, 3, 4, 5].map((at) => tintOf("logprob", sampled, at))).toEqual([
      "q0",
      "q2",
      "q3",
      "q4",
      "q5",
      "q5",
    ]);
    expect(tintOf("version", sampled, 0)).toBe("v3");
    expect(tintOf("mask", sampled, 0)).toBe("trained");
    expect([
      tintOf("mask", given, 0),
      tintOf("logprob", given, 0),
      tintOf("none", sampled, 0),
    ]).toEqual(["given", "", ""]);
  });
  test("an advantage tints what it trains, by its sign and size", () => {
    const tints = (advantage: number | null) => tintOf("advantage", sampled, 0, advantage);
    expect([0.1, 0.5, 2, -0.1, -0.8, -3, 0, null].map(tints)).toEqual([
      ...["up1", "up2", "up3", "down1", "down2", "down3", "", ""],
    ]);
    expect(tintOf("advantage", { ...sampled, trained: false }, 0, 1)).toBe("");
    expect(tintOf("advantage", given, 0, 1)).toBe("");
  });
  test("charts tell how the values of the segment spread", () => {
    const bins = new Array<number>(28).fill(0);
    bins[0] = 4;
    bins[27] = 2;
    const view = {
      turns: [
        outline(0, { kind: "given", trained: false, versions: [] }),
        outline(1, { tokens: 6 }),
      ],
      logprobs: { count: 6, mean: -1, bins },
      advantage: { value: 0.5, why: null },
      group: [0.5, 0.5, -1, null].map((advantage, index) => ({
        ...{ rolloutId: `${index}`, index, reward: 0, advantage, status: "succeeded" as const },
      })),
    };
    const chart = prepareLensChart("logprob", view);
    expect([chart?.bars[0]?.count, chart?.bars[27]?.count]).toEqual([4, 2]);
    expect(surpriseBin(99)).toBe(27);
    expect(prepareLensChart("version", view)?.bars).toEqual([
      { label: "v3", count: 6, height: 1, tint: "v3" },
    ]);
    expect(prepareLensChart("mask", view)?.bars.map((bar) => bar.count)).toEqual([6, 0, 1]);
    expect(prepareLensChart("none", view)).toBeNull();
    const advantages = prepareLensChart("advantage", view);
    expect(advantages?.bars.map(({ label, count }) => [label, count])).toEqual([
      ["+0.50", 2],
      ["−1.00", 1],
    ]);
    expect(advantages?.words).toContain("6 trained tokens");
    const unknown = { ...view, advantage: { value: null, why: "The critic gave them." } };
    expect(prepareLensChart("advantage", unknown)).toMatchObject({
      ...{ bars: [], words: "The critic gave them." },
    });
  });
});

test("neighbours that look alike are one run, which tells its tokens apart by character", () => {
  const sampled = turn(1, { texts: ["ab", "c", "", "d"], from: 10 });
  const look = { lens: "none", advantage: null, chosen: null, hits: new Set<number>() } as const;
  const runs = (change: object) => prepareRuns(sampled, { from: 0, to: 4 }, { ...look, ...change });
  expect(runs({}).map(({ index, text }) => [index, text])).toEqual([[10, "abcd"]]);
  expect(runs({ chosen: 11 }).map(({ text }) => text)).toEqual(["ab", "c", "d"]);
  expect(runs({ hits: new Set([3]) }).map(({ text }) => text)).toEqual(["abc", "d"]);
  expect(runs({ lens: "logprob" }).map(({ tint }) => tint)).toEqual(["q0", "q2", "q3", "q4"]);
  const resumed = turn(1, {
    tokens: { ids: [1, 2], text: ["x", "y"], logprobs: [0, 0], versions: [3, 4] },
  });
  expect(prepareRuns(resumed, { from: 0, to: 2 }, look).map((run) => run.resumedBy)).toEqual([
    ...[null, 4],
  ]);
  expect([0, 1, 2, 3, 9].map((offset) => tokenAtOffset(["ab", "c", "", "d"], 0, offset))).toEqual([
    ...[0, 0, 1, 3, 0],
  ]);
});

test("search goes from match to match and around the ends", () => {
  const matches = [2, 5, 9].map((nodeId) => ({ nodeId }));
  expect([null, 2, 4, 9].map((at) => nextMatch(matches, at, 1))).toEqual([2, 5, 5, 2]);
  expect([null, 2, 4, 9].map((at) => nextMatch(matches, at, -1))).toEqual([9, 9, 2, 5]);
  expect(nextMatch([], 3, 1)).toBeNull();
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

test("tokens keep their place, and a page tells what is known of them", () => {
  const turns = [
    outline(0, { kind: "given", trained: false, tokens: 2, lossy: { tokens: 1, trained: 1 } }),
    outline(1, { at: 2, tokens: 3 }),
  ];
  expect([countTokens(turns), countTrained(turns), countTokens([])]).toEqual([5, 4, 0]);
  expect([-1, 0, 2, 4, 5].map((position) => tokenAt(turns, position)?.index ?? null)).toEqual([
    ...[null, 0, 0, 2, null],
  ]);
  expect(["1.2", "1.3", "9.0", "x", null].map((key) => positionOf(turns, key))).toEqual([
    ...[4, null, null, null, null],
  ]);
  const page: TokenPage = {
    ...{ from: 1, ids: [7, 8], text: ["x", "y"], mask: [0, 1], logprobs: [null, -1] },
    ...{ versions: [null, 3], lossy: [false, false] },
  };
  expect(prepareToken(turns, page, 2)).toEqual({
    ...{ position: 2, nodeId: 1, index: 0, turn: 1, role: "assistant", id: 8, text: "y" },
    ...{ mask: 1, logprob: -1, version: 3, isLossy: false },
  });
  expect(prepareToken(turns, page, 3)).toBeNull();
  expect(showToken(" a\n")).toBe("␣a⏎");
  expect(tokenBytes("é\\xe2")).toBe("c3 a9 e2");
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
