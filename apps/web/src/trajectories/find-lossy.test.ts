import type { TurnView } from "@liverl/contract/views";
import { describe, expect, test } from "vitest";
import { prepareLensChart, tintOf } from "#trajectories/prepare-lens.ts";
import { prepareTokens } from "#trajectories/prepare-tokens.ts";

const given: TurnView = {
  ...{ nodeId: 0, kind: "given", role: "user", turn: null, text: "<ab>", toolCalls: [] },
  ...{ toolCallId: null, trained: false, stopReason: null },
  ...{ startedAt: null, firstTokenAt: null, endedAt: null },
  tokens: { ids: [1, 2, 3, 4], text: ["<", "a", "b", ">"], logprobs: null, versions: null },
  lossy: [{ from: 1, to: 3, trained: true, logprobs: [-0.5, null], version: 4 }],
};

describe("a turn in the client's words", () => {
  test("trains where it has a recomputed log-prob", () => {
    expect(
      prepareTokens([given]).map(({ mask, logprob, version, isLossy }) => [
        ...[mask, logprob, version, isLossy],
      ]),
    ).toEqual([
      [0, null, null, false],
      [1, -0.5, 4, true],
      [0, null, 4, true],
      [0, null, null, false],
    ]);
    expect([0, 1, 2, 3].map((index) => tintOf("mask", given, index))).toEqual([
      ...["given", "trained", "given", "given"],
    ]);
    expect(prepareLensChart("mask", [given])?.bars.map(({ count }) => count)).toEqual([0, 0, 3, 1]);
  });

  test("is marked and does not train elsewhere", () => {
    const untrained = { ...given, lossy: given.lossy!.map((one) => ({ ...one, trained: false })) };
    expect(prepareTokens([untrained]).map(({ mask, isLossy }) => [mask, isLossy])).toEqual([
      ...[
        [0, false],
        [0, true],
        [0, true],
        [0, false],
      ],
    ]);
    expect(prepareLensChart("mask", [untrained])?.bars.map(({ count }) => count)).toEqual([
      ...[0, 0, 4],
    ]);
  });
});
