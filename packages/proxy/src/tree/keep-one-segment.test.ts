import type { Segment } from "@liverl/contract/trajectory";
import { expect, it } from "vitest";
import { callOf, given, sampled } from "#testing/tree-nodes.ts";
import { buildSegments } from "#tree/build-segments.ts";
import { keepOneSegment } from "#tree/keep-one-segment.ts";

const trained = (segments: readonly Segment[]) =>
  segments.map(({ trainedNodes, trainable, reason }) => ({ trainedNodes, trainable, reason }));
const KEPT = { trainedNodes: [], trainable: false, reason: "mode-single-output" };

it("after a compaction the longer path trains, the last of equals; the other is kept", () => {
  const nodes = [given(0, null), sampled(1, 0, 0), given(2, null), sampled(3, 2, 1)];
  const calls = [callOf(0, 0, 1), callOf(1, 2, 3)];
  const segments = buildSegments(nodes, calls, ["main"]);
  expect(trained(keepOneSegment(segments, calls))).toEqual([
    KEPT,
    { trainedNodes: [3], trainable: true, reason: null },
  ]);
});

it("a fork gives way to the path that it left, a longer subagent to the main line", () => {
  const nodes = [
    given(0, null),
    sampled(1, 0, 0),
    given(2, 1),
    sampled(3, 2, 1),
    given(4, 1),
    sampled(5, 4, 2),
    given(6, null),
    { ...sampled(7, 6, 3), tokenIds: [7, 7, 7, 7], logprobs: [-1, -1, -1, -1] },
  ];
  const calls = [
    callOf(0, 0, 1),
    callOf(1, 2, 3),
    callOf(2, 4, 5),
    callOf(3, 6, 7, { kind: "subagent" }),
  ];
  const segments = buildSegments(nodes, calls, ["main", "subagent"]);
  expect(segments.map(({ trainable }) => trainable)).toEqual([true, true, true]);
  expect(trained(keepOneSegment(segments, calls))).toEqual([
    { trainedNodes: [1, 3], trainable: true, reason: null },
    KEPT,
    KEPT,
  ]);
});

it("what does not train keeps its own reason", () => {
  const nodes = [given(0, null), sampled(1, 0, 0)];
  const calls = [callOf(0, 0, 1, { kind: "side" })];
  const segments = buildSegments(nodes, calls, ["main"]);
  expect(keepOneSegment(segments, calls)).toEqual(segments);
});
