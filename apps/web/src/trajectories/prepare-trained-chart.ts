import {
  clipUnits,
  TRAINED_SCALES,
  type TrainedQuantity,
  type TrainedSpread,
  type TrainedSummary,
  trainedBin,
} from "@liverl/contract/trained-view";
import type { TrajectoryView } from "@liverl/contract/views";
import { histogram, type LensChart, sequentialRamp } from "#trajectories/lens-histogram.ts";
import {
  advantageTint,
  type Clip,
  ENTROPY_EDGES,
  type Lens,
  MISMATCH_EDGES,
  RATIO_EDGES,
  ratioTint,
  sequentialTint,
} from "#trajectories/prepare-lens.ts";
import type { TokenRow } from "#trajectories/prepare-tokens.ts";
import { formatCount, formatNumber } from "#ui/format-number.ts";

/** Value at the begin of a bar, on the quantity's scale; a fraction is within the bar. */
function edgeOf(quantity: TrainedQuantity, bin: number): number {
  const { bins, range } = TRAINED_SCALES[quantity];
  return range[0] + (bin / bins) * (range[1] - range[0]);
}

function drawSpread(
  quantity: TrainedQuantity,
  spread: TrainedSpread,
  show: (scaled: number) => { text: string; tint: string },
): LensChart["bars"] {
  const { bins } = TRAINED_SCALES[quantity];
  return histogram(spread.bins, (bin) => {
    const [from, to] = [show(edgeOf(quantity, bin)), show(edgeOf(quantity, bin + 1))];
    return {
      label:
        bin === 0
          ? `below ${to.text}`
          : bin === bins - 1
            ? `${from.text} and more`
            : `${from.text}–${to.text}`,
      tint: show(edgeOf(quantity, bin + 0.5)).tint,
    };
  });
}

/** A chart that says why there is none. */
const unknown = (title: string, words: string | null): LensChart => ({
  ...{ title, note: "", bars: [], axis: [], ramp: null, words },
});

/** What is not finite is in no bar. */
function oddWords({ odd }: TrainedSpread): string {
  if (odd === 0) return "";
  return odd === 1
    ? " One token's value is not finite."
    : ` ${formatCount(odd)} tokens have a value that is not finite.`;
}

export function entropyChart({ spreads, why }: TrainedSummary): LensChart {
  const title = "Entropy at the token";
  if (!spreads) return unknown(title, why);
  return {
    ...{ title, note: "log count", axis: ["0", "1.4 nat", "≥ 2.8"] },
    bars: drawSpread("entropy", spreads.entropy, (value) => ({
      text: `${value.toFixed(1)} nat`,
      tint: sequentialTint(value, ENTROPY_EDGES),
    })),
    ramp: sequentialRamp(ENTROPY_EDGES),
    words: `By the trainer's weights before the update: ${formatNumber(spreads.entropy.mean)} nat in the mean.${oddWords(spreads.entropy)}`,
  };
}

export function mismatchChart({
  trained: { spreads, why, update },
  turns,
}: Pick<TrajectoryView, "trained" | "turns">): LensChart {
  const title = "|Δ log p|, trainer and rollout";
  if (!spreads || !update) return unknown(title, why);
  return {
    ...{ title, note: "log count", axis: ["≤ 1e−7", "nat", "≥ 1"] },
    bars: drawSpread("mismatch", spreads.mismatch, (value) => ({
      text: formatNumber(10 ** value),
      tint: sequentialTint(10 ** value, MISMATCH_EDGES),
    })),
    ramp: sequentialRamp(MISMATCH_EDGES),
    words: `${scoredWith(update, turns)} At most ${formatNumber(spreads.mismatch.max)} nat.${oddWords(spreads.mismatch)}`,
  };
}

/** Whose log-probs are compared: a token's are of the weights that sampled it, which need not be those that the trainer had. */
function scoredWith(
  { version, isSynced, update: before }: NonNullable<TrainedSummary["update"]>,
  turns: TrajectoryView["turns"],
): string {
  const plus = isSynced ? "" : ` plus ${before} ${before === 1 ? "update" : "updates"}`;
  const counts = new Map<number, number>();
  for (const [of, count] of turns.filter(({ trained }) => trained).flatMap((one) => one.versions))
    if (of !== null) counts.set(of, (counts.get(of) ?? 0) + count);
  const others = [...counts.keys()].some((of) => of !== version);
  if (!others)
    return `Before the update the trainer scored with v${version}${isSynced ? ", which sampled these tokens, too" : `${plus}; v${version} sampled these tokens`}.`;
  const sampled = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([of, count]) => (counts.size === 1 ? `v${of}` : `v${of} (${formatCount(count)} tokens)`));
  return `Sampled by ${sampled.join(" and ")}; before the update the trainer scored with v${version}${plus}. Part of the difference is between those weights.`;
}

export function ratioChart({ spreads, why, update, clipped }: TrainedSummary): LensChart {
  const title = update?.ratioOf === "sequence" ? "Ratio of the sequence" : "Ratio in the loss";
  if (!spreads || !update) return unknown(title, why);
  if (!spreads.ratio) return unknown(title, outOfLossWords(update.outOfLoss));
  const { clip } = update;
  const ratioAt = (units: number) => 1 + units * (units < 0 ? clip.low : clip.high);
  return {
    ...{ title, note: "log count" },
    bars: drawSpread("ratio", spreads.ratio, (units) => ({
      text: formatRatio(ratioAt(units), clip),
      tint: ratioTint(ratioAt(units), clip),
    })),
    axis: [-2, 0, 2].map((units) => formatRatio(ratioAt(units), clip)),
    ramp: {
      tints: ["lo3", "lo2", "lo1", "", "hi1", "hi2", "hi3"],
      labels: [
        "",
        ...[...RATIO_EDGES].reverse().map((edge) => formatRatio(ratioAt(-edge), clip)),
        ...RATIO_EDGES.map((edge) => formatRatio(ratioAt(edge), clip)),
      ],
    },
    words: `${ratioWords(update)} Clipped: ${formatCount(clipped)} of ${formatCount(spreads.ratio.count + spreads.ratio.odd)} tokens, underlined in the text.${oddWords(spreads.ratio)}`,
  };
}

/** Whose ratio it is, exactly. */
function ratioWords({ epochs, ratioTo }: NonNullable<TrainedSummary["update"]>): string {
  const old = ratioTo === "trainer" ? "the trainer's own before the update" : "the engine's";
  const now = epochs === 1 ? "before the update" : `after ${epochs - 1} of ${epochs} epochs`;
  return `As the ${epochs === 1 ? "" : "last epoch of the "}loss saw it: the policy ${now}, over ${old}.`;
}

function outOfLossWords(why: NonNullable<TrainedSummary["update"]>["outOfLoss"]): string {
  return why === "critic-warmup"
    ? "The critic trained alone in this step, so no token has a ratio."
    : "Its advantage is 0, so the loss left it out: no token has a ratio.";
}

/** As many decimals as tell parts of the clip apart. */
export function formatRatio(ratio: number, { low, high }: Clip): string {
  const bound = Math.max(1e-6, Math.min(low || high, high || low));
  return String(Number(ratio.toFixed(3 + Math.max(0, Math.floor(-Math.log10(bound))))));
}

/** The tokens by their own advantages; null where all have the same one, or none is known. */
export function tokenAdvantageChart({ spreads }: TrainedSummary): LensChart | null {
  const spread = spreads?.advantage;
  if (!spread || spread.count === 0 || spread.min === spread.max) return null;
  const tints = ["down3", "down2", "down1", "up1", "up2", "up3"];
  return {
    ...{ title: "Advantage of each token", note: "log count", axis: ["≤ −3", "0", "≥ 3"] },
    bars: drawSpread("advantage", spread, (value) => ({
      text: value.toFixed(2).replace("-", "−"),
      tint: advantageTint(value),
    })),
    ramp: { tints, labels: ["", "−1.2", "−0.5", "0", "0.5", "1.2"] },
    words: `The critic's, as the loss took them: ${formatNumber(spread.min)} to ${formatNumber(spread.max)}, ${formatNumber(spread.mean)} in the mean.${oddWords(spread)}`,
  };
}

/** Bar of a token's value; null where it has none, or the lens has no such bars. */
export function trainedBinOf(lens: Lens, token: TokenRow, clip: Clip | null): number | null {
  const { trained } = token;
  if (trained === null || clip === null) return null;
  const bin = (quantity: TrainedQuantity, value: number | null) =>
    value === null || !Number.isFinite(value) ? null : trainedBin(quantity, value);
  if (lens === "entropy") return bin("entropy", trained.entropy);
  if (lens === "advantage") return bin("advantage", trained.advantage);
  if (lens === "ratio")
    return bin("ratio", trained.ratio === null ? null : clipUnits(trained.ratio, clip));
  if (lens !== "mismatch" || trained.mismatch === null) return null;
  // log10(0) is −∞: what agrees to the last bit is in the first bar.
  return bin("mismatch", Math.log10(Math.max(trained.mismatch, 1e-30)));
}
