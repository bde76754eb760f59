import type {
  CallOutline,
  ForkView,
  NodeOutline,
  SessionOutline,
} from "@liverl/contract/session-view";
import { expect, it } from "vitest";
import { describeReward } from "#sessions/describe-reward.ts";
import { prepareBars, tokenTicks } from "#sessions/prepare-bars.ts";
import { prepareChangedWishes } from "#sessions/prepare-changed-wishes.ts";
import { prepareFigures } from "#sessions/prepare-figures.ts";
import { prepareJsonLines } from "#sessions/prepare-json-lines.ts";
import { prepareTiming } from "#sessions/prepare-timings.ts";
import { prepareTokenDiff } from "#sessions/prepare-token-diff.ts";
import { prepareTree } from "#sessions/prepare-tree.ts";

const given = (id: number, parentId: number | null, tokens: number): NodeOutline => ({
  ...{ id, parentId, kind: "given", role: "user", tokens, versions: [], trained: false },
  ...{ reason: null, linkedFrom: null, callId: null },
});
const sampled = (
  id: number,
  parentId: number,
  callId: number,
  versions: NodeOutline["versions"],
  trained = true,
): NodeOutline => ({
  ...{ id, parentId, kind: "sampled", role: "assistant", versions, trained, callId },
  ...{ tokens: versions.reduce((sum, [, n]) => sum + n, 0), reason: null, linkedFrom: null },
});
const call = (id: number, change: Partial<CallOutline>): CallOutline => ({
  ...{ id, requestId: `r${id}`, dialect: "openai-chat", kind: "main", subagent: null },
  ...{ rewritten: false, promptNodeId: null, sampledNodeId: null, status: "done" },
  ...{ stopReason: "stop", stopText: null, startedAt: "2026-01-01T00:00:00.000Z" },
  ...{ sentAt: null, firstTokenAt: null, endedAt: null, fork: null, error: null },
  usage: { promptTokens: 0, sampledTokens: 0 },
  ...change,
});

/** Two turns, a title beside them, and the second turn asked again. */
function branched(): SessionOutline {
  const nodes = [
    given(0, null, 100),
    sampled(1, 0, 0, [
      [3, 10],
      [4, 5],
    ]),
    given(2, null, 20),
    sampled(3, 2, 1, [[4, 2]], false),
    given(4, 1, 30),
    sampled(5, 4, 2, [[4, 8]]),
    sampled(6, 4, 3, [[null, 9]]),
  ];
  const calls = [
    call(0, { promptNodeId: 0, sampledNodeId: 1 }),
    call(1, {
      promptNodeId: 2,
      sampledNodeId: 3,
      kind: "side",
      fork: { reason: "side-request", nodeId: null },
    }),
    call(2, { promptNodeId: 4, sampledNodeId: 5 }),
    call(3, { promptNodeId: 4, sampledNodeId: 6, fork: { reason: "resample", nodeId: 4 } }),
  ];
  const segment = (id: number, leafNodeId: number, tokens: number, trainedTokens: number) => ({
    ...{ id, leafNodeId, tokens, trainedTokens, parentSegmentId: null },
    ...{ trainable: trainedTokens > 0, reason: trainedTokens > 0 ? null : "side-request" },
  });
  return {
    ...{ sessionId: "s", rolloutId: null, attempt: 1, runId: null, taskId: null, groupId: null },
    ...{ step: null, mode: "train", live: false, reward: null, termination: "agent-finished" },
    model: { name: "m", family: "f", tokenizerSha256: "", chatTemplateSha256: "" },
    ...{ nodes, calls },
    // By leaf: another order than that of the rows.
    segments: [segment(0, 3, 22, 0), segment(1, 5, 153, 23), segment(2, 6, 154, 9)],
  };
}

it("lays a tree in rows: the first child goes on, each other one begins a row at its fork", () => {
  const { rows, forks, rowOf, versions, longest } = prepareTree(branched());
  expect(
    rows.map(({ segmentId, name, note, parent, start, end }) => [
      ...[segmentId, name, note, parent, start, end],
    ]),
  ).toEqual([
    [1, "Main", "root", null, 0, 153],
    [0, "Side request", "not trained", null, 0, 22],
    [2, "Again", "continues", 0, 145, 154],
  ]);
  expect(
    rows[0]?.parts.map(({ kind, start, tokens, version }) => [kind, start, tokens, version]),
  ).toEqual([
    ["given", 0, 100, null],
    ["sampled", 100, 10, 3],
    ["sampled", 110, 5, 4],
    ["given", 115, 30, null],
    ["sampled", 145, 8, 4],
  ]);
  expect(forks.map(({ number, reason, row, outcome }) => [number, reason, row, outcome])).toEqual([
    [1, "side-request", 1, "out of training"],
    [2, "resample", 2, "trains once"],
  ]);
  expect(rowOf.get(6)).toBe(2);
  expect([versions, longest]).toEqual([[3, 4], 154]);
});

it("keeps a fork whose prompt never came into the tree, or that has no answer yet", () => {
  const session = branched();
  const calls = [
    ...session.calls,
    call(4, { fork: { reason: "system-changed", nodeId: null }, status: "error" }),
    call(5, {
      promptNodeId: 7,
      fork: { reason: "tools-changed", nodeId: null },
      status: "incomplete",
    }),
  ];
  const { forks, rows } = prepareTree({
    ...session,
    calls,
    nodes: [...session.nodes, given(7, null, 12)],
  });
  expect(forks.slice(2).map(({ row, outcome }) => [row, outcome])).toEqual([
    [null, "no answer"],
    [3, "no answer"],
  ]);
  expect(rows[3]).toMatchObject({ segmentId: null, note: "no answer", end: 12 });
});

it("sums up what trains, what does not, and what nobody planned", () => {
  const session = branched();
  const figures = prepareFigures(session, prepareTree(session));
  expect(figures.map(({ label, value, below }) => [label, value, below])).toEqual([
    ["Tokens in the tree", "184", "154 on the longest path"],
    ["Trained", "32", "17.4 %, mask 1"],
    ["Forks", "2", "all planned"],
    ["Kept out of training", "2", "side-request"],
    ["Rewritten by the client", "0", "held by tool-call ids"],
    ["Calls without an answer", "0", "all were answered"],
  ]);
});

it("tells turns by the client's text beside the rewritten ones, where there are any", () => {
  const session = branched();
  const [root, ...others] = session.nodes;
  const figure = (lossy: NodeOutline["lossy"]) => {
    const nodes = [{ ...root!, lossy }, ...others];
    const { below, title } = prepareFigures({ ...session, nodes }, prepareTree(session))[4]!;
    return [below, title];
  };
  const count = { turns: 1, tokens: 7, unlocated: 0, recomputed: 0 };
  expect(figure(undefined)).toEqual(["held by tool-call ids", undefined]);
  expect(figure(count)).toEqual([
    "1 turn by its text",
    "Calls held by tool-call ids; 1 turn by its text, 7 tokens",
  ]);
  expect(figure({ turns: 3, tokens: 1200, unlocated: 1, recomputed: 7 })).toEqual([
    "3 turns by its text",
    "Calls held by tool-call ids; 3 turns by its text, 1,200 tokens, 7 recomputed, 1 of unknown length",
  ]);
});

it.each([
  [{ model: "x", max_tokens: 40, temperature: 0.2 }, ["temperature asked 0.2, told 1"]],
  [{ max_completion_tokens: 65 }, ["max_completion_tokens asked 65, told 64"]],
  [{ max_output_tokens: 40, seed: 7, stop: ["x"], tool_choice: "auto", top_k: 0 }, []],
  [
    { top_k: 5, tool_choice: { type: "any" } },
    ["top_k asked 5, not told", 'tool_choice asked {"type":"any"}, not told'],
  ],
])("tells of the wishes %o only those that the engine was told otherwise", (requested, told) => {
  const sampling = { max_tokens: 64, temperature: 1, top_p: 1, seed: 7, stop_token_ids: [2] };
  expect(prepareChangedWishes({ requested, sampling })).toEqual(told);
});

it.each([
  [null, null],
  [{}, null],
  [{ reward: 0.5 }, "0.500"],
  [{ reward: 1, style: -0.25 }, "1, style −0.250"],
  [{ tests: 0 }, "tests 0"],
])("says the reward %o in few words", (reward, words) => {
  expect(describeReward(reward)).toBe(words);
});

it("draws no more bars than pixels, and loses no sampled run among large ones", () => {
  const nodes: NodeOutline[] = [];
  for (let turn = 0; turn < 5_000; turn++) {
    const parent = turn === 0 ? null : turn * 2 - 1;
    nodes.push(given(turn * 2, parent, 90), sampled(turn * 2 + 1, turn * 2, turn, [[turn, 10]]));
  }
  const { rows } = prepareTree({ nodes, calls: [], segments: [] });
  const [row] = rows;
  if (!row) throw new Error("one row");
  expect(rows).toHaveLength(1);
  const bars = prepareBars(row.parts, 800 / row.end);
  expect(bars.length).toBeLessThanOrEqual(801);
  expect(bars.some(({ kind }) => kind === "sampled")).toBe(true);
  expect(bars.at(-1)!.x + bars.at(-1)!.width).toBeGreaterThan(799);
  const few = prepareBars(row.parts.slice(0, 8), 0.5);
  expect(few.map(({ kind }) => kind)).toEqual(row.parts.slice(0, 8).map(({ kind }) => kind));
});

it.each([
  [0, [0]],
  [3, [0, 1, 2, 3]],
  [154, [0, 50, 100, 150]],
  [44_000, [0, 10_000, 20_000, 30_000, 40_000]],
])("ticks %i tokens at round places", (longest, ticks) => {
  expect(tokenTicks(longest, 5)).toEqual(ticks);
});

it("parts the time of a call at what happened, and no further", () => {
  const at = (ms: number) => new Date(Date.parse("2026-01-01T00:00:00.000Z") + ms).toISOString();
  const times = (change: Partial<CallOutline>, nowMs: number | null = null) => {
    const timing = prepareTiming(call(0, { startedAt: at(0), ...change }), nowMs);
    return [timing.renderS, timing.queueS, timing.generateS, timing.totalS];
  };
  expect(times({ sentAt: at(20), firstTokenAt: at(120), endedAt: at(1120) })).toEqual([
    0.02, 0.1, 1, 1.12,
  ]);
  expect(times({ sentAt: at(20), endedAt: at(500) })).toEqual([0.02, 0.48, 0, 0.5]);
  expect(times({ endedAt: at(5) })).toEqual([0.005, 0, 0, 0.005]);
  // Still at the engine: it grows with the clock.
  expect(times({ sentAt: at(10) }, Date.parse(at(2010)))).toEqual([0.01, 2, 0, 2.01]);
  // Records of before have no moment of sending.
  expect(times({ firstTokenAt: at(300), endedAt: at(400) })).toEqual([0.3, 0, 0.1, 0.4]);
});

it("marks the tokens that the other side has not in the same place", () => {
  const tokens = (ids: number[]) => ids.map((id) => ({ id, text: `t${id}` }));
  const fork: ForkView = {
    ...{ callId: 3, position: 9, promptTokens: 20, sampledBefore: 0, shared: tokens([1]) },
    stored: { tokens: tokens([5, 6, 7, 8]), more: 3, messages: [] },
    asked: { tokens: tokens([9, 6, 8, 7, 10]), more: 0, messages: [] },
  };
  const { stored, asked } = prepareTokenDiff(fork);
  expect(stored?.tokens.map(({ id, differs }) => [id, differs])).toEqual([
    [5, true],
    [6, false],
    [7, true],
    [8, true],
  ]);
  expect(asked.tokens.map(({ id, differs }) => [id, differs])).toEqual([
    [9, true],
    [6, false],
    [8, true],
    [7, true],
    [10, true],
  ]);
  expect([stored?.more, asked.more]).toEqual([3, 0]);
});

it("indents a body without touching a character of its values", () => {
  const body =
    '{"2":1.0,"1":12345678901234567890,"a":[],"b":{"c":"x, {\\"y\\": [1]}\\n\\u00e9"},"d":[1,null]}';
  const lines = prepareJsonLines(body, true).map(({ text }) => text);
  expect(lines).toEqual([
    "{",
    '  "2": 1.0,',
    '  "1": 12345678901234567890,',
    '  "a": [],',
    '  "b": {',
    '    "c": "x, {\\"y\\": [1]}\\n\\u00e9"',
    "  },",
    '  "d": [',
    "    1,",
    "    null",
    "  ]",
    "}",
  ]);
});

it("shows what is no JSON as it came, and breaks long lines into rows", () => {
  expect(prepareJsonLines('{"cut": "off', true)).toEqual([{ number: 1, text: '{"cut": "off' }]);
  const rows = prepareJsonLines(`${"x".repeat(400)}\ny`, false);
  expect(rows.map(({ number, text }) => [number, text.length])).toEqual([
    [1, 160],
    [null, 160],
    [null, 80],
    [2, 1],
  ]);
});
