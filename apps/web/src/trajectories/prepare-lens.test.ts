import { surpriseBin, type TokenPage } from "@liverl/contract/turn-view";
import { describe, expect, test } from "vitest";
import { nextMatch } from "#trajectories/next-match.ts";
import { tintOf } from "#trajectories/prepare-lens.ts";
import { prepareLensChart } from "#trajectories/prepare-lens-chart.ts";
import { prepareRuns } from "#trajectories/prepare-runs.ts";
import {
  countTokens,
  countTrained,
  positionOf,
  prepareToken,
  showToken,
  tokenAt,
  tokenBytes,
} from "#trajectories/prepare-tokens.ts";
import {
  buildUntrained,
  buildOutline as outline,
  buildTurn as turn,
} from "#trajectories/testing/build-turn.ts";
import { tokenAtOffset } from "#trajectories/token-at-point.ts";

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
    const known = { clip: null, trained: null };
    const tints = (advantage: number | null) =>
      tintOf("advantage", sampled, 0, { ...known, advantage });
    expect([0.1, 0.5, 2, -0.1, -0.8, -3, 0, null].map(tints)).toEqual([
      ...["up1", "up2", "up3", "down1", "down2", "down3", "", ""],
    ]);
    expect(tintOf("advantage", { ...sampled, trained: false }, 0, { ...known, advantage: 1 })).toBe(
      "",
    );
    expect(tintOf("advantage", given, 0, { ...known, advantage: 1 })).toBe("");
  });
  test("charts tell how the values of the segment spread", () => {
    const bins = new Array<number>(28).fill(0);
    bins[0] = 4;
    bins[27] = 2;
    const view = {
      rollout: { training: { state: "trained" as const, step: 4, reason: null } },
      turns: [
        outline(0, { kind: "given", trained: false, versions: [] }),
        outline(1, { tokens: 6 }),
      ],
      logprobs: { count: 6, mean: -1, bins },
      advantage: { value: 0.5, why: null },
      trained: buildUntrained("No update has taken it."),
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
    expect(prepareLensChart("mask", view)?.words).toBe("This rollout: trained in step 4.");
    const out = prepareLensChart("mask", {
      ...view,
      rollout: { training: { state: "filtered", step: null, reason: "max_turns" } },
      turns: [outline(1, { tokens: 6, trained: false })],
    });
    expect(out?.bars.map((bar) => bar.count)).toEqual([0, 6, 0]);
    expect(out?.words).toBe("This rollout: filtered out: max_turns.");
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
  const unknown = { advantage: null, clip: null, trained: null };
  const look = { ...unknown, lens: "none", chosen: null, hits: new Set<number>() } as const;
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
    ...{ versions: [null, 3], lossy: [false, false], roles: ["user", "assistant"] },
  };
  expect(prepareToken(turns, page, 2)).toEqual({
    ...{ position: 2, nodeId: 1, index: 0, turn: 1, role: "assistant", id: 8, text: "y" },
    ...{ mask: 1, logprob: -1, version: 3, isLossy: false, trained: null },
  });
  expect(prepareToken(turns, page, 3)).toBeNull();
  expect(showToken(" a\n")).toBe("␣a⏎");
  expect(tokenBytes("é\\xe2")).toBe("c3 a9 e2");
});
