import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { expect, it } from "vitest";
import { buildTurns } from "#trajectories/build-turns.ts";

const given = {
  ...{ id: 0, parentId: null, kind: "given" as const, role: "user", reason: null },
  ...{ linkedFrom: null, message: { role: "user", content: "x" }, tokenIds: [1, 2, 3, 4, 5, 6] },
};
const trajectory = (node: ProxyTrajectory["nodes"][number]) =>
  ({ taskId: null, nodes: [node], calls: [] }) as unknown as ProxyTrajectory;
const segment = {
  ...{ id: 0, path: [0], trainedNodes: [], parentSegmentId: null, trainedTokens: 0 },
  ...{ trainable: true, reason: null },
};

it("tells the turns of a given node that stand by the client's text, and which of them train", () => {
  const lossyTurns: [number, number][] = [
    [0, 2],
    [3, 5],
  ];
  const node = {
    ...given,
    lossyTurns: [null, ...lossyTurns],
    recomputed: {
      ...{ requestId: "s-c0-score", temperature: 1, version: 7 },
      logprobs: [-1, null, -3, -4],
    },
  };
  const recomputed: [number, number, number][] = [[0, 3, 5]];
  const [turn] = buildTurns(trajectory(node), { ...segment, recomputed }, null);
  expect(turn?.lossy).toEqual([
    { from: 0, to: 2, trained: false, logprobs: [-1, null], version: 7 },
    { from: 3, to: 5, trained: true, logprobs: [-3, -4], version: 7 },
  ]);
  const unscored = { ...given, lossyTurns };
  const [bare] = buildTurns(trajectory(unscored), segment, null);
  expect(bare?.lossy?.map(({ trained, logprobs }) => [trained, logprobs])).toEqual([
    [false, null],
    [false, null],
  ]);
  expect(buildTurns(trajectory(given), segment, null)[0]).not.toHaveProperty("lossy");
});
