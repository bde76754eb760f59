import {
  type TrainedPage,
  type TrainedSpread,
  type TrainedSummary,
  trainedBin,
} from "@liverl/contract/trained-view";
import { describe, expect, test } from "vitest";
import { type Known, tintOf } from "#trajectories/prepare-lens.ts";
import { prepareLensChart } from "#trajectories/prepare-lens-chart.ts";
import { prepareRuns } from "#trajectories/prepare-runs.ts";
import { prepareToken } from "#trajectories/prepare-tokens.ts";
import { formatRatio, trainedBinOf } from "#trajectories/prepare-trained-chart.ts";
import {
  buildUntrained,
  buildOutline as outline,
  buildTurn as turn,
} from "#trajectories/testing/build-turn.ts";

const clip = { low: 0.2, high: 0.28 };
const page = (change: Partial<TrainedPage> = {}): TrainedPage => ({
  ...{ from: 0, trainerLogprobs: [], entropies: [], advantages: [], ratios: [], clipped: [] },
  values: null,
  ...change,
});
const known = (trained: TrainedPage): Known => ({ advantage: 9, clip, trained });
const tints = (lens: "ratio" | "entropy" | "mismatch" | "advantage", trained: TrainedPage) =>
  [0, 1, 2, 3, 4, 5, 6].map((at) =>
    tintOf(lens, turn(1, { texts: ["a", "b", "c", "d", "e", "f", "g"] }), at, known(trained)),
  );

describe("lenses of what the trainer computed", () => {
  test("a ratio's tint tells the side, and how near the clip is", () => {
    const ratios = [0.79, 0.89, 0.97, 0.99, 1.04, 1.2, 1.28];
    expect(tints("ratio", page({ ratios }))).toEqual([
      ...["lo3", "lo2", "lo1", "", "hi1", "hi2", "hi3"],
    ]);
    // GSPO clips within 0.4 %: the same ratio is far outside there.
    const narrow = { ...known(page({ ratios: [1.005] })), clip: { low: 0.003, high: 0.004 } };
    expect(tintOf("ratio", turn(1), 0, narrow)).toBe("hi3");
  });
  test("entropy and mismatch grow with their value; what is not finite stands out", () => {
    const entropies = [0, 0.2, 0.5, 1, 1.5, 3, "NaN" as const];
    expect(tints("entropy", page({ entropies }))).toEqual([
      ...["q0", "q1", "q2", "q3", "q4", "q5", "odd"],
    ]);
    // The turn's own log-probs are 0, −0.5, −1, …
    const trainerLogprobs = [-0.0001, -0.505, -1.02, -1.6, -2.5, -4, "-Infinity" as const];
    expect(tints("mismatch", page({ trainerLogprobs }))).toEqual([
      ...["q0", "q1", "q2", "q3", "q4", "q5", "odd"],
    ]);
  });
  test("an advantage of its own goes before the rollout's; what has none stays plain", () => {
    const advantages = [0.1, -0.6, 2, 0, null, null, null];
    expect(tints("advantage", page({ advantages }))).toEqual([
      ...["up1", "down2", "up3", "", "up3", "up3", "up3"],
    ]);
    expect(tints("ratio", page({ ratios: [null] }))).toEqual(new Array(7).fill(""));
    const untrained = turn(1, { trained: false });
    expect(tintOf("entropy", untrained, 0, known(page({ entropies: [3] })))).toBe("");
  });
  test("what is clipped is a run of its own, under the lens of ratios alone", () => {
    const sampled = turn(1, { texts: ["a", "b", "c"] });
    const trained = page({ ratios: [1, 1, 1], clipped: [false, true, false] });
    const look = { ...known(trained), chosen: null, hits: new Set<number>() };
    const runs = (lens: "ratio" | "none") =>
      prepareRuns(sampled, { from: 0, to: 3 }, { ...look, lens });
    expect(runs("ratio").map(({ text, isClipped }) => [text, isClipped])).toEqual([
      ...[
        ["a", false],
        ["b", true],
        ["c", false],
      ],
    ]);
    expect(runs("none")).toHaveLength(1);
  });
});

const spread = (bins: number, at: number, change: Partial<TrainedSpread> = {}): TrainedSpread => ({
  ...{ count: 3, mean: 0.5, min: 0.25, max: 0.75, odd: 0 },
  bins: Array.from({ length: bins }, (_, bin) => (bin === at ? 3 : 0)),
  ...change,
});
const summary: TrainedSummary = {
  ...{ why: null, isPending: false, clipped: 2 },
  update: {
    ...{ attempt: 1, step: 3, update: 1, version: 5, isSynced: false, epochs: 2, temperature: 1 },
    ...{ ratioOf: "token", ratioTo: "trainer", clip, outOfLoss: null },
  },
  spreads: {
    entropy: spread(28, 4),
    ratio: spread(29, 14, { odd: 1 }),
    mismatch: spread(28, 0, { max: 1e-6 }),
    advantage: spread(29, 14),
  },
};
const chartOf = (
  lens: "ratio" | "entropy" | "mismatch" | "advantage",
  trained: TrainedSummary,
  versions: [number | null, number][] = [[5, 1]],
) =>
  prepareLensChart(lens, {
    rollout: { training: { state: "trained", step: 3, reason: null } },
    ...{ turns: [outline(1, { versions })], logprobs: null, group: [], trained },
    advantage: { value: null, why: "nobody knows" },
  });

describe("charts of what the trainer computed", () => {
  test("name the ratio exactly, and tell the clip's bounds", () => {
    const chart = chartOf("ratio", summary);
    expect(chart?.words).toBe(
      "As the last epoch of the loss saw it: the policy after 1 of 2 epochs, over the trainer's own before the update. Clipped: 2 of 4 tokens, underlined in the text. One token's value is not finite.",
    );
    expect(chart?.ramp?.labels).toEqual(["", "0.8", "0.9", "0.975", "1.035", "1.14", "1.28"]);
    expect(chart?.axis).toEqual(["0.6", "1", "1.56"]);
    expect(chart?.bars[14]).toMatchObject({ count: 3, height: 1, tint: "" });
    expect([chart?.bars[0]?.tint, chart?.bars[28]?.tint]).toEqual(["lo3", "hi3"]);
    expect(formatRatio(0.997, { low: 0.003, high: 0.004 })).toBe("0.997");
  });
  test("say which weights the trainer scored with", () => {
    expect(chartOf("mismatch", summary)?.words).toContain(
      "with v5 plus 1 update; v5 sampled these tokens. At most",
    );
    const synced = { ...summary, update: summary.update && { ...summary.update, isSynced: true } };
    expect(chartOf("mismatch", synced)?.words).toContain(
      "scored with v5, which sampled these tokens, too. At most",
    );
  });
  test("tell the weights that sampled from those that scored, where they differ", () => {
    expect(chartOf("mismatch", summary, [[4, 7]])?.words).toContain(
      "Sampled by v4; before the update the trainer scored with v5 plus 1 update. Part of",
    );
    const mixed: [number, number][] = [
      [4, 7],
      [5, 2],
    ];
    expect(chartOf("mismatch", summary, mixed)?.words).toContain(
      "Sampled by v4 (7 tokens) and v5 (2 tokens); before",
    );
    expect(chartOf("entropy", summary)?.words).toContain("0.500 nat in the mean");
    expect(chartOf("advantage", summary)?.title).toBe("Advantage of each token");
  });
  test("say why there is none", () => {
    const none = buildUntrained("No update took it.");
    for (const lens of ["ratio", "entropy", "mismatch"] as const)
      expect(chartOf(lens, none)).toMatchObject({ bars: [], words: "No update took it." });
    expect(chartOf("advantage", none)?.words).toBe("nobody knows");
    const { update, spreads } = summary;
    const idle = (outOfLoss: "no-advantage" | "critic-warmup") =>
      chartOf("ratio", {
        ...summary,
        update: update && { ...update, outOfLoss },
        spreads: spreads && { ...spreads, ratio: null },
      })?.words;
    expect(idle("no-advantage")).toContain("advantage is 0");
    expect(idle("critic-warmup")).toContain("critic trained alone");
  });
});

test("a token's row joins both records, and finds its bar", () => {
  const turns = [outline(1, { tokens: 3 })];
  const tokens = {
    ...{ from: 0, ids: [7, 8, 9], text: ["x", "y", "z"], mask: [1, 1, 1] as (0 | 1)[] },
    ...{ logprobs: [-1, -2, null], versions: [3, 3, 3], lossy: [false, false, false], roles: [] },
  };
  const trained = page({
    ...{ trainerLogprobs: [-1.5, -2, null], entropies: [0.45, "NaN", null] },
    ...{ advantages: [0, 1, null], ratios: [1, null, null], clipped: [true, null, null] },
    values: [0.25, 0.5, null],
  });
  const row = (at: number) => prepareToken(turns, tokens, at, trained);
  expect(row(0)?.trained).toEqual({
    ...{ logprob: -1.5, mismatch: 0.5, entropy: 0.45, advantage: 0, ratio: 1 },
    ...{ isClipped: true, value: 0.25 },
  });
  expect(row(2)?.trained).toBeNull();
  const bins = (at: number) => {
    const token = row(at);
    if (!token) return null;
    return (["entropy", "ratio", "mismatch", "advantage"] as const).map((lens) =>
      trainedBinOf(lens, token, clip),
    );
  };
  expect(bins(0)).toEqual([4, 14, trainedBin("mismatch", Math.log10(0.5)), 14]);
  expect(bins(1)).toEqual([null, null, 0, trainedBin("advantage", 1)]);
});
