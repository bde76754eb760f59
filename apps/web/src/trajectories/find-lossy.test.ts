import type { TurnView } from "@liverl/contract/turn-view";
import { describe, expect, test } from "vitest";
import { asOutlined } from "#trajectories/as-outlined.ts";
import { findLossy } from "#trajectories/find-lossy.ts";
import { tintOf } from "#trajectories/prepare-lens.ts";

const given: TurnView = {
  ...{ nodeId: 0, kind: "given", trained: false, from: 0, isEnd: true, text: "", toolCalls: [] },
  tokens: { ids: [1, 2, 3, 4], text: ["<", "a", "b", ">"], logprobs: null, versions: null },
  lossy: [{ from: 1, to: 3, trained: true, logprobs: [-0.5, null], version: 4 }],
};
const maskOf = (turn: TurnView) => turn.tokens.ids.map((_, index) => tintOf("mask", turn, index));

describe("a turn in the client's words", () => {
  test("trains where it has a recomputed log-prob", () => {
    expect(maskOf(given)).toEqual(["given", "trained", "given", "given"]);
    expect([0, 1, 2, 3].map((index) => findLossy(given, index)?.logprob)).toEqual([
      ...[undefined, -0.5, null, undefined],
    ]);
  });

  test("does not train in a rollout that no update took", () => {
    const outlined = (trained: number) =>
      maskOf(asOutlined(given, { trained: false, lossy: { tokens: 2, trained } }));
    expect(outlined(0)).toEqual(["given", "given", "given", "given"]);
    expect(outlined(1)).toEqual(["given", "trained", "given", "given"]);
    const sampled: TurnView = { ...given, kind: "sampled", trained: true, lossy: undefined };
    expect(maskOf(asOutlined(sampled, { trained: false, lossy: null }))[0]).toBe("given");
    expect(asOutlined(sampled, { trained: true, lossy: null })).toBe(sampled);
  });

  test("keeps its place in a range that begins later", () => {
    const later = { ...given, from: 1, tokens: { ...given.tokens, ids: [2, 3], text: ["a", "b"] } };
    expect(maskOf(later)).toEqual(["trained", "given"]);
  });

  test("does not train elsewhere", () => {
    const untrained = { ...given, lossy: given.lossy!.map((one) => ({ ...one, trained: false })) };
    expect(maskOf(untrained)).toEqual(["given", "given", "given", "given"]);
  });
});
