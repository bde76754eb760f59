import type { Call, GivenNode, ProxyTrajectory, SampledNode } from "@liverl/contract/trajectory";
import { expect, it } from "vitest";
import { callOf, given, sampled } from "#testing/tree-nodes.ts";
import { countUntrained } from "#trajectory/count-untrained.ts";
import { summariseTrajectory } from "#trajectory/summarise-trajectory.ts";
import { buildSegments } from "#tree/build-segments.ts";
import { keepOneSegment } from "#tree/keep-one-segment.ts";

type Nodes = (GivenNode | SampledNode)[];
const long = (node: SampledNode, tokens: number): SampledNode => ({
  ...node,
  tokenIds: new Array(tokens).fill(node.id),
  logprobs: new Array(tokens).fill(-1),
  policyVersions: new Array(tokens).fill(0),
});
const trajectoryOf = (nodes: Nodes, calls: Call[], takesOne = false): ProxyTrajectory => {
  const segments = buildSegments(nodes, calls, ["main"]);
  return {
    ...{ format: "liverl-proxy-trajectory/1", sessionId: "s", rolloutId: null, attempt: 1 },
    ...{ runId: null, taskId: null, groupId: null, step: 1, mode: "train" },
    model: { name: "", family: "", tokenizerSha256: "", chatTemplateSha256: "" },
    ...{ nodes, calls, segments: takesOne ? keepOneSegment(segments, calls) : segments },
    ...{ reward: null, termination: "agent-finished" },
  };
};
/** Tokens that train and tokens that do not, by reason, are all that was sampled. */
const expectWhole = (trajectory: ProxyTrajectory) => {
  const { segments, tokensSampled, untrained } = summariseTrajectory(trajectory, "");
  const trains = segments.reduce(
    (sum, { mask }) => sum + mask.filter((one) => one === 1).length,
    0,
  );
  const left = Object.values(untrained?.reasons ?? {}).reduce((sum, tokens) => sum + tokens, 0);
  expect(trains + left).toBe(tokensSampled);
};

it("counts each sampled token once, by the reason of its segment", () => {
  // The main line; a subagent with two branches below a turn that they share; a side request; an aborted answer; a repeated one.
  const nodes: Nodes = [
    given(0, null),
    long(sampled(1, 0, 0), 10),
    given(2, null),
    long(sampled(3, 2, 1), 7),
    given(4, 3),
    long(sampled(5, 4, 2), 2),
    given(6, 3),
    long(sampled(7, 6, 3), 3),
    given(8, null),
    long(sampled(9, 8, 4), 4),
    given(10, 1),
    long(sampled(11, 10, 5), 5),
    given(12, 1),
    long(sampled(13, 12, 6), 6),
    long(sampled(14, 12, 7), 8),
  ];
  const trajectory = trajectoryOf(nodes, [
    callOf(0, 0, 1),
    callOf(1, 2, 3, { kind: "subagent" }),
    callOf(2, 4, 5, { kind: "subagent" }),
    callOf(3, 6, 7, { kind: "subagent" }),
    callOf(4, 8, 9, { kind: "side" }),
    callOf(5, 10, 11, { status: "aborted" }),
    callOf(6, 12, 13),
    callOf(7, 12, 14, { repeats: 6 }),
  ]);
  expect(countUntrained(trajectory)).toEqual({
    reasons: { subagent: 7 + 2 + 3, "side-request": 4, aborted: 5, "not-received": 6 },
    lossy: 0,
  });
  expectWhole(trajectory);
});

it("counts the paths that a trainer of one sequence does not take", () => {
  const nodes: Nodes = [
    given(0, null),
    long(sampled(1, 0, 0), 4),
    given(2, null),
    long(sampled(3, 2, 1), 9),
  ];
  const trajectory = trajectoryOf(nodes, [callOf(0, 0, 1), callOf(1, 2, 3)], true);
  expect(countUntrained(trajectory).reasons).toEqual({ "mode-single-output": 4 });
  expectWhole(trajectory);
});

it("has no reasons where every sampled token trains", () => {
  const trajectory = trajectoryOf([given(0, null), sampled(1, 0, 0)], [callOf(0, 0, 1)]);
  expect(countUntrained(trajectory)).toEqual({ reasons: {}, lossy: 0 });
  expectWhole(trajectory);
});

it("counts lossy turns apart: once over all branches, less the tokens that were scored and train", () => {
  const turn = (id: number, tokenIds: number[]): GivenNode => ({
    ...given(id, null),
    tokenIds: [id, ...tokenIds],
    lossyTurns: [[1, 1 + tokenIds.length]],
  });
  const scored: GivenNode = {
    ...turn(2, [50, 51, 52]),
    recomputed: { requestId: "", temperature: 1, version: 1, logprobs: [-1, -1, null] },
  };
  const nodes: Nodes = [
    ...[turn(0, [40, 41]), sampled(1, 0, 0)],
    ...[scored, sampled(3, 2, 1)],
    ...[turn(4, [40, 41]), sampled(5, 4, 2)],
  ];
  const calls = [callOf(0, 0, 1), callOf(1, 2, 3), callOf(2, 4, 5)];
  expect(countUntrained(trajectoryOf(nodes, calls)).lossy).toBe(2 + 3);
  const segments = buildSegments(nodes, calls, ["main", "recomputed"]);
  const recomputed = countUntrained({ ...trajectoryOf(nodes, calls), segments });
  expect(recomputed).toEqual({ reasons: {}, lossy: 2 + 1 });
});
