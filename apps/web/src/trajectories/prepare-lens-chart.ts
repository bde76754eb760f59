import { describeTraining } from "@liverl/contract/rollout-training";
import { SURPRISE_BINS, SURPRISE_MAX } from "@liverl/contract/turn-view";
import type { RolloutRow, TrajectoryView } from "@liverl/contract/views";
import {
  type Bar,
  histogram,
  type LensChart,
  sequentialRamp,
} from "#trajectories/lens-histogram.ts";
import {
  advantageTint,
  type Lens,
  SURPRISE_EDGES,
  sequentialTint,
} from "#trajectories/prepare-lens.ts";
import { countTrained } from "#trajectories/prepare-tokens.ts";
import {
  entropyChart,
  mismatchChart,
  ratioChart,
  tokenAdvantageChart,
} from "#trajectories/prepare-trained-chart.ts";
import { formatCount, formatSigned } from "#ui/format-number.ts";

type Charted = Pick<TrajectoryView, "turns" | "logprobs" | "advantage" | "group" | "trained"> & {
  rollout: Pick<RolloutRow, "training">;
};

/** How the values of a lens spread over the segment; null for a lens without values. */
export function prepareLensChart(lens: Lens, view: Charted): LensChart | null {
  if (lens === "logprob") return surpriseChart(view);
  if (lens === "mask") return maskChart(view);
  if (lens === "version") return versionChart(view);
  if (lens === "entropy") return entropyChart(view.trained);
  if (lens === "ratio") return ratioChart(view.trained);
  if (lens === "mismatch") return mismatchChart(view);
  if (lens === "advantage") return tokenAdvantageChart(view.trained) ?? advantageChart(view);
  return null;
}

function surpriseChart({ logprobs }: Charted): LensChart {
  const counts = logprobs?.bins ?? new Array<number>(SURPRISE_BINS).fill(0);
  const edge = (bin: number) => (bin / SURPRISE_BINS) * SURPRISE_MAX;
  return {
    title: "−log p of the sampled token",
    note: "log count",
    bars: histogram(counts, (bin) => ({
      label:
        bin === SURPRISE_BINS - 1
          ? `${edge(bin).toFixed(2)} nat and more`
          : `${edge(bin).toFixed(2)}–${edge(bin + 1).toFixed(2)} nat`,
      tint: sequentialTint(edge(bin + 0.5), SURPRISE_EDGES),
    })),
    axis: ["0", "1.25 nat", "≥ 2.5"],
    ramp: sequentialRamp(SURPRISE_EDGES),
    words: null,
  };
}

function maskChart({ turns, rollout }: Charted): LensChart {
  const tally = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
  const sampled = turns.filter(({ kind }) => kind === "sampled");
  const given = turns.filter(({ kind }) => kind === "given");
  const recomputed = tally(given.map(({ lossy }) => lossy?.trained ?? 0));
  const tokens = (trained: boolean) =>
    tally(sampled.filter((turn) => turn.trained === trained).map((turn) => turn.tokens));
  const counts: [string, number, string][] = [
    [maskLabel(rollout.training), tokens(true), "trained"],
    ["sampled, not trained", tokens(false), "given"],
    ["given, mask 0", tally(given.map((turn) => turn.tokens)) - recomputed, "given"],
  ];
  if (recomputed > 0) counts.push(["client's text, recomputed", recomputed, "trained"]);
  const words = describeTraining(rollout.training);
  return {
    ...{ title: "Mask", note: "tokens", bars: shares(counts), axis: [], ramp: null },
    words: words === null ? null : `This rollout: ${words}.`,
  };
}

function maskLabel({ state }: Charted["rollout"]["training"]): string {
  if (state === "waiting") return "sampled, mask 1";
  return state === "no-advantage" ? "sampled, in the update" : "sampled, trained";
}

function versionChart({ turns }: Charted): LensChart {
  const counts = new Map<number | null, number>();
  for (const [version, count] of turns.flatMap(({ versions }) => versions))
    counts.set(version, (counts.get(version) ?? 0) + count);
  const sorted = [...counts].sort((a, b) => (a[0] ?? -1) - (b[0] ?? -1));
  const rows = sorted.map(([version, count]): [string, number, string] => [
    version === null ? "unknown" : `v${version}`,
    count,
    version === null ? "" : `v${((version % 4) + 4) % 4}`,
  ]);
  return {
    ...{ title: "Weight version", note: "sampled tokens" },
    ...{ bars: shares(rows), axis: [], ramp: null, words: null },
  };
}

/** The group's rollouts by their advantage, where it is the same for each trained token of one. */
function advantageChart({ turns, advantage, group }: Charted): LensChart {
  const { value, why } = advantage;
  const counts = new Map<string, [number, number]>();
  for (const { advantage: one } of value === null ? [] : group) {
    if (one === null) continue;
    const label = formatSigned(one, (size) => size.toFixed(2));
    counts.set(label, [one, (counts.get(label)?.[1] ?? 0) + 1]);
  }
  const rows = [...counts]
    .sort(([, [a]], [, [b]]) => b - a)
    .map(([label, [one, count]]): [string, number, string] => [label, count, advantageTint(one)]);
  const words =
    value === null
      ? why
      : `${formatSigned(value, (size) => size.toFixed(2))} for each of the ${formatCount(countTrained(turns))} trained tokens of this rollout.`;
  return {
    ...{ title: "Advantage", note: "rollouts of the group" },
    ...{ bars: shares(rows), axis: [], ramp: null, words },
  };
}

function shares(rows: readonly [string, number, string][]): Bar[] {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return rows.map(([label, count, tint]) => ({ label, count, tint, height: count / most }));
}
