import { expect, it } from "vitest";
import { callOf as call, given, sampled } from "#testing/tree-nodes.ts";
import { buildSegments } from "#tree/build-segments.ts";

it("case 34: a shared node is trained by exactly one segment, and the other names it as parent", () => {
  const nodes = [
    given(0, null),
    sampled(1, 0, 0),
    given(2, 1),
    sampled(3, 2, 1),
    given(4, 1),
    sampled(5, 4, 2),
  ];
  const segments = buildSegments(nodes, [call(0, 0, 1), call(1, 2, 3), call(2, 4, 5)], ["main"]);
  expect(segments).toEqual([
    {
      id: 0,
      path: [0, 1, 2, 3],
      trainedNodes: [1, 3],
      parentSegmentId: null,
      trainedTokens: 2,
      trainable: true,
      reason: null,
    },
    {
      id: 1,
      path: [0, 1, 4, 5],
      trainedNodes: [5],
      parentSegmentId: 0,
      trainedTokens: 1,
      trainable: true,
      reason: null,
    },
  ]);
});

it("case 35: an incomplete call costs its ancestors nothing", () => {
  const nodes = [given(0, null), sampled(1, 0, 0), given(2, 1)];
  const segments = buildSegments(
    nodes,
    [call(0, 0, 1), call(1, 2, null, { status: "incomplete" })],
    ["main"],
  );
  expect(segments).toEqual([
    {
      id: 0,
      path: [0, 1],
      trainedNodes: [1],
      parentSegmentId: null,
      trainedTokens: 1,
      trainable: true,
      reason: null,
    },
    {
      id: 1,
      path: [0, 1, 2],
      trainedNodes: [],
      parentSegmentId: 0,
      trainedTokens: 0,
      trainable: false,
      reason: "incomplete",
    },
  ]);
});

it("case 19: an aborted turn trains only where a finished call extends it", () => {
  const nodes = [given(0, null), sampled(1, 0, 0), sampled(2, 0, 1), given(3, 2), sampled(4, 3, 2)];
  const segments = buildSegments(
    nodes,
    [call(0, 0, 1, { status: "aborted" }), call(1, 0, 2, { status: "aborted" }), call(2, 3, 4)],
    ["main"],
  );
  expect(segments).toEqual([
    {
      id: 0,
      path: [0, 2, 3, 4],
      trainedNodes: [2, 4],
      parentSegmentId: null,
      trainedTokens: 2,
      trainable: true,
      reason: null,
    },
    {
      id: 1,
      path: [0, 1],
      trainedNodes: [],
      parentSegmentId: null,
      trainedTokens: 0,
      trainable: false,
      reason: "aborted",
    },
  ]);
});

it("a side request is exported and does not train", () => {
  const nodes = [given(0, null), sampled(1, 0, 0), given(2, null), sampled(3, 2, 1)];
  const segments = buildSegments(nodes, [call(0, 0, 1), call(1, 2, 3, { kind: "side" })], ["main"]);
  expect(segments.map(({ path, trainable, reason }) => ({ path, trainable, reason }))).toEqual([
    { path: [0, 1], trainable: true, reason: null },
    { path: [2, 3], trainable: false, reason: "side-request" },
  ]);
});
