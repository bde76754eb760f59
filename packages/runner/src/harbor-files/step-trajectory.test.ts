import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { expect, it } from "vitest";
import recorded from "#harbor-files/__fixtures__/proxy-trajectory.json" with { type: "json" };
import { trajectoryOfStep, useOf } from "#harbor-files/step-trajectory.ts";

const whole = ProxyTrajectory.parse(recorded);
const MORE = 1_000;
/** The recorded conversation at one step, and the same again at the next. */
const ofTwo: ProxyTrajectory = {
  ...whole,
  nodes: [
    ...whole.nodes,
    ...whole.nodes.map((node) => ({
      ...node,
      id: node.id + MORE,
      ...(node.parentId !== null && { parentId: node.parentId + MORE }),
      ...(node.kind === "sampled" && { callId: node.callId + MORE }),
    })),
  ] as ProxyTrajectory["nodes"],
  calls: [
    ...whole.calls.map((call) => ({ ...call, taskStep: "first" })),
    ...whole.calls.map((call) => ({
      ...call,
      ...{ id: call.id + MORE, taskStep: "second" },
      promptNodeId: call.promptNodeId === null ? null : call.promptNodeId + MORE,
      sampledNodeId: call.sampledNodeId === null ? null : call.sampledNodeId + MORE,
    })),
  ],
  segments: [
    ...whole.segments,
    ...whole.segments.map((segment) => ({
      ...segment,
      id: segment.id + MORE,
      path: segment.path.map((id) => id + MORE),
    })),
  ],
};

it("takes a step's calls, nodes and segments, and counts each token once", () => {
  const first = trajectoryOfStep(ofTwo, "first");
  const second = trajectoryOfStep(ofTwo, "second");
  expect(first.segments).toEqual(whole.segments);
  expect(first.nodes).toEqual(whole.nodes);
  expect(second.segments.map(({ id }) => id)).toEqual(whole.segments.map(({ id }) => id + MORE));
  expect(second.calls.map(({ id }) => id)).toEqual(whole.calls.map(({ id }) => id + MORE));
  expect(useOf(first)).toEqual(useOf(second));
  const tokens = whole.nodes.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
  const { inputTokens, outputTokens } = useOf(first);
  expect((inputTokens ?? 0) + (outputTokens ?? 0)).toBe(tokens);
  expect(outputTokens).toBeGreaterThan(0);
});

it("has nothing of a step that asked no model", () => {
  const none = trajectoryOfStep(ofTwo, "third");
  expect([none.calls, none.nodes, none.segments]).toEqual([[], [], []]);
  expect(useOf(none)).toMatchObject({ inputTokens: 0, outputTokens: 0 });
});
