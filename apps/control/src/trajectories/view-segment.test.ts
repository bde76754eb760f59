import type { GivenNode, ProxyTrajectory, SampledNode } from "@liverl/contract/trajectory";
import { TOKEN_PAGE } from "@liverl/contract/turn-view";
import { describe, expect, it, test } from "vitest";
import { callSummary, looksFailed } from "#trajectories/describe-turn.ts";
import { findTurns } from "#trajectories/find-turns.ts";
import { outlineTurns, spreadLogprobs } from "#trajectories/outline-turns.ts";
import { pageTokens } from "#trajectories/page-tokens.ts";
import { findSegment } from "#trajectories/segment-path.ts";
import { viewTurn } from "#trajectories/view-turn.ts";

/** Each id is a letter: 0 is `a`. */
const letters = { bytesOf: (id: number) => Uint8Array.of(97 + id) };
const given = (id: number, change: Partial<GivenNode> = {}): GivenNode => ({
  ...{ id, parentId: id === 0 ? null : id - 1, kind: "given", role: "user", reason: null },
  ...{ linkedFrom: null, message: { role: "user", content: "one\ntwo" }, tokenIds: [0, 1, 2] },
  ...change,
});
const sampled = (id: number, tokenIds: number[], message = {}): SampledNode => ({
  ...{ id, parentId: id - 1, kind: "sampled", role: "assistant", tokenIds },
  message: { role: "assistant", content: "", ...message },
  logprobs: tokenIds.map((_, at) => -at),
  policyVersions: tokenIds.map((_, at) => (at < 2 ? 3 : 4)),
  ...{ versionSpan: [3, 4], callId: 0 },
});
const trajectoryOf = (nodes: ProxyTrajectory["nodes"]) =>
  ({ taskId: null, nodes, calls: [] }) as unknown as ProxyTrajectory;
const segmentOf = (path: number[], trainedNodes: number[] = []) => ({
  ...{ id: 0, path, trainedNodes, parentSegmentId: null, trainedTokens: 0 },
  ...{ trainable: true, reason: null },
});

describe("a segment", () => {
  const call = { id: "t", function: { name: "edit", arguments: '{"line":2}' } };
  const tool = { role: "tool", content: "ERROR no such line", tool_call_id: "t" };
  const trajectory = trajectoryOf([
    given(0),
    sampled(1, [3, 4, 5, 6], { tool_calls: [call] }),
    given(2, { role: "tool", message: tool }),
    sampled(3, [7]),
  ]);
  const record = { trajectory, segment: segmentOf([0, 1, 2, 3], [1]) };

  it("is outlined without texts and tokens", () => {
    const turns = outlineTurns(trajectory, record.segment);
    expect(turns.map(({ at, tokens, turn, trained }) => [at, tokens, turn, trained])).toEqual([
      [0, 3, null, false],
      [3, 4, 1, true],
      [7, 3, null, false],
      [10, 1, 2, false],
    ]);
    expect(turns[0]).toMatchObject({ label: "one", characters: 7, lines: 2, failed: false });
    expect(turns[1]?.versions).toEqual([
      [3, 2],
      [4, 2],
    ]);
    expect(turns[1]?.toolCalls).toEqual([{ id: "t", name: "edit", summary: "line 2" }]);
    expect(turns[2]).toMatchObject({ toolCallId: "t", failed: true });
  });

  it("spreads its log-probs over bars, each sampled token once", () => {
    const spread = spreadLogprobs(trajectory, record.segment);
    expect([spread?.count, spread?.mean]).toEqual([5, -6 / 5]);
    expect([spread?.bins[0], spread?.bins.at(-1)]).toEqual([2, 1]);
    expect(spreadLogprobs(trajectory, segmentOf([0]))).toBeNull();
  });

  it("is read by range, of tokens and of text", () => {
    const ask = { nodeId: 1, part: "tokens", from: 1, size: 2 } as const;
    expect(viewTurn(record, ask, letters)).toMatchObject({
      ...{ from: 1, isEnd: false, trained: true, text: "" },
      tokens: { ids: [4, 5], text: ["e", "f"], logprobs: [-1, -2], versions: [3, 4] },
    });
    expect(viewTurn(record, { ...ask, size: 9 }, letters).isEnd).toBe(true);
    expect(viewTurn(record, { nodeId: 0, part: "text", from: 4, size: 2 }, letters)).toMatchObject({
      text: "tw",
      isEnd: false,
      tokens: { ids: [] },
    });
    expect(() => viewTurn(record, { ...ask, nodeId: 9 }, letters)).toThrow(/no node 9/);
  });

  it("gives a page of tokens across its nodes", () => {
    const page = pageTokens(record, 2, letters);
    expect(page.text.join("")).toBe("cdefgabch");
    expect(page.mask).toEqual([0, 1, 1, 1, 1, 0, 0, 0, 0]);
    expect(page.logprobs.slice(0, 3)).toEqual([null, -0, -1]);
    const long = trajectoryOf([given(0, { tokenIds: new Array(TOKEN_PAGE + 5).fill(1) })]);
    const of = { trajectory: long, segment: segmentOf([0]) };
    expect(pageTokens(of, 0, letters).ids).toHaveLength(TOKEN_PAGE);
    expect(pageTokens(of, TOKEN_PAGE, letters).ids).toHaveLength(5);
    expect(pageTokens(of, 2 * TOKEN_PAGE, letters).ids).toEqual([]);
  });

  it("is searched whole, and the first place of each node is told", () => {
    expect(findTurns(record, "EF", letters)).toEqual([{ nodeId: 1, count: 1, first: 1 }]);
    expect(findTurns(record, "o", letters)).toEqual([
      { nodeId: 0, count: 2, first: 0 },
      { nodeId: 2, count: 2, first: 3 },
    ]);
    expect(findTurns(record, "zebra", letters)).toEqual([]);
  });
});

it("a given node of several messages tells them apart, in its text and by token", () => {
  const ids = ["<|im_start|>system\n", "Fix it", "\ntools", "<|im_start|>user\n", "src"];
  const words = { bytesOf: (id: number) => new TextEncoder().encode(ids[id]) };
  const message = [
    { role: "system", content: "Fix it" },
    { role: "user", content: "src" },
  ];
  const trajectory = trajectoryOf([given(0, { message, tokenIds: [0, 1, 2, 3, 4] })]);
  const record = { trajectory, segment: segmentOf([0]) };
  expect(outlineTurns(trajectory, record.segment)[0]?.roles).toEqual(["system", "user"]);
  const ask = { nodeId: 0, part: "text", from: 0, size: 99 } as const;
  const view = viewTurn(record, ask, words);
  expect(view.text).toBe("Fix it\n\nsrc");
  expect(view.parts?.map(({ role, from }) => [role, view.text.slice(from)])).toEqual([
    ["system", "Fix it\n\nsrc"],
    ["user", "src"],
  ]);
  expect(view.templateText).toBe("tools");
  expect(viewTurn(record, { ...ask, from: 4 }, words).templateText).toBeUndefined();
  expect(pageTokens(record, 1, words).roles).toEqual(["system", "system", "user", "user"]);
});

it("of a live session, the segment of the newest call is shown", () => {
  const calls = [{ kind: "main", promptNodeId: 2, sampledNodeId: null }];
  const segments = [segmentOf([0, 1], [1]), { ...segmentOf([0, 1, 2]), id: 1, trainable: false }];
  const record = { calls, segments } as unknown as ProxyTrajectory;
  expect(findSegment(record, undefined, true)?.id).toBe(1);
  expect(findSegment(record, undefined, false)?.id).toBe(0);
  expect(findSegment(record, 7, false)).toBeNull();
});

it("tells the turns of a given node that stand by the client's text, and which of them train", () => {
  const lossyTurns: [number, number][] = [
    [0, 2],
    [3, 5],
  ];
  const node = given(0, {
    tokenIds: [1, 2, 3, 4, 5, 6],
    lossyTurns: [null, ...lossyTurns],
    recomputed: {
      ...{ requestId: "s-c0-score", temperature: 1, version: 7 },
      logprobs: [-1, null, -3, -4],
    },
  });
  const recomputed: [number, number, number][] = [[0, 3, 5]];
  const trajectory = trajectoryOf([node]);
  const segment = { ...segmentOf([0]), recomputed };
  const ask = { nodeId: 0, part: "tokens", from: 0, size: 9 } as const;
  expect(viewTurn({ trajectory, segment }, ask, null).lossy).toEqual([
    { from: 0, to: 2, trained: false, logprobs: [-1, null], version: 7 },
    { from: 3, to: 5, trained: true, logprobs: [-3, -4], version: 7 },
  ]);
  expect(outlineTurns(trajectory, segment)[0]?.lossy).toEqual({ tokens: 4, trained: 2 });
  const page = pageTokens({ trajectory, segment }, 0, null);
  expect(page.mask).toEqual([0, 0, 0, 1, 1, 0]);
  expect(page.logprobs).toEqual([-1, null, null, -3, -4, null]);
  expect(page.lossy).toEqual([true, true, false, true, true, false]);
  const bare = trajectoryOf([given(0)]);
  expect(viewTurn({ trajectory: bare, segment }, ask, null)).not.toHaveProperty("lossy");
  expect(outlineTurns(bare, segment)[0]?.lossy).toBeNull();
});

test.each([
  ["ok", false],
  ["PASS", false],
  ["FAIL line 2", true],
  ["all good\nERROR bad line", true],
  ["exit code 1", true],
  ["exit 0", false],
  ["ValueError: x", true],
])("%s reports a fault: %s", (text, failed) => {
  expect(looksFailed(text)).toBe(failed);
});
test("arguments that are no JSON are shown as they are", () => {
  expect(callSummary("{bad")).toBe("{bad");
  expect(callSummary("{}")).toBe("");
});
