import { METRIC_ALIASES } from "@liverl/contract/metric";
import type { Advisory } from "@liverl/contract/run";
import { THRESHOLDS } from "@liverl/contract/threshold";
import { MUST_BE_FINITE } from "@liverl/contract/trainer-names";
import type { VerdictSign } from "@liverl/contract/verdict-sign";
import { advise, plural } from "#verdict/advise.ts";
import {
  type Judge,
  LEVEL_STEPS,
  MERGE_STEPS,
  type RunEvidence,
  WINDOW,
} from "#verdict/evidence.ts";
import { LOSS_KEYS } from "#verdict/load-signals.ts";
import { brokenOf, newestStepOf } from "#verdict/samples.ts";

/** Of rollouts whose engines tell no version there is no staleness, and it is logged as NaN. */
const MAY_BE_UNKNOWN: readonly string[] = [THRESHOLDS.staleness.metric];

/**
 * What a sound run always has a number for. Times and use of the hardware are not among them: they are NaN where a peak is not
 * known; nor are shares of rollouts, which a step without any has none of.
 */
const ALWAYS_FINITE: readonly string[] = [
  ...METRIC_ALIASES["reward/mean"],
  ...METRIC_ALIASES.kl,
  ...METRIC_ALIASES.entropy,
  ...METRIC_ALIASES["rollout_corr/kl"],
  ...LOSS_KEYS,
  ...Object.values(THRESHOLDS)
    .filter(({ aspect, metric }) => aspect === "stability" && !MAY_BE_UNKNOWN.includes(metric))
    .map(({ metric }) => metric),
];

const REWARD_KEYS: readonly string[] = METRIC_ALIASES["reward/mean"];

/** Signs that have a name of their own; all others share one. */
const NAMED: Partial<Record<string, { id: VerdictSign; title: string }>> = {
  "actor/ppo_kl": { id: "kl-nan", title: "KL is not finite" },
  "actor/grad_norm": { id: "grad-norm-nan", title: "Gradient norm is not finite" },
};

const MUST_BE = new RegExp(MUST_BE_FINITE);

const FLAG_WORDS = ["", "NaN", "+infinity", "−infinity"];

/** NaN or infinity within the judged steps. No mean shows it, because means are taken over the values that are numbers. */
export const judgeFinite: Judge = (evidence) => {
  // Each is judged once, under verl's key.
  const renamed = new Set(evidence.names?.values());
  const keys = new Set([
    ...ALWAYS_FINITE,
    ...[...evidence.signals.keys()].filter(
      (key) => key.startsWith("val-core/") || (MUST_BE.test(key) && !renamed.has(key)),
    ),
  ]);
  const found = [...keys].flatMap((key) => findBroken(evidence, key) ?? []);
  const named = found.filter(({ key }) => NAMED[key]);
  const others = found.filter(({ key }) => !NAMED[key]);
  return [
    ...named.map((one) => say(evidence, [one], NAMED[one.key])),
    ...(others.length > 0 ? [say(evidence, others)] : []),
  ];
};

interface Broken {
  key: string;
  broken: { step: number; wallMs: number; flag: number }[];
}

function findBroken(evidence: RunEvidence, key: string): Broken | null {
  const newest = newestStepOf(evidence) ?? 0;
  const broken = brokenOf(evidence, key).filter(({ step }) => step > newest - WINDOW);
  return broken.length > 0 ? { key, broken } : null;
}

function say(
  evidence: RunEvidence,
  found: readonly Broken[],
  named?: { id: VerdictSign; title: string },
): Advisory {
  const newest = newestStepOf(evidence) ?? 0;
  const { first, begin, last } = newestEpisode(found);
  const isLasting = found.some(({ broken }) =>
    broken.some(({ step }) => step > newest - LEVEL_STEPS),
  );
  const list = found.map(({ key, broken }) => wordsOf(key, broken)).join("; ");
  return {
    ...advise({
      id: named?.id ?? "not-finite",
      level: isLasting ? "bad" : "warn",
      title: `${named?.title ?? `${first?.key ?? "A metric"} is not finite`} at step ${begin?.step ?? 0}`,
      detail: `${list}. ${
        found.every(({ key }) => REWARD_KEYS.includes(key))
          ? "A step in which no rollout has a reward has no mean of them: its rollouts tell why."
          : isLasting
            ? "Stop, and resume from the last good checkpoint before it: weights that took such an update give no numbers any more."
            : "It is over; see whether that update was skipped or taken."
      }`,
      ...(first && { key: first.key }),
      at: begin && { step: begin.step, value: Number.NaN, wallMs: begin.wallMs },
      untilStep: last === undefined ? null : stepAfter(evidence, found, last.step),
    }),
    sinceStep: begin?.step ?? null,
  };
}

/** The broken steps at the end that belong together, and the key that broke first among them. */
function newestEpisode(found: readonly Broken[]) {
  const all = found
    .flatMap((one) => one.broken.map((at) => ({ one, at })))
    .sort((a, b) => a.at.step - b.at.step);
  const from = all.findLastIndex(
    ({ at }, i) => at.step - (all[i - 1]?.at.step ?? Number.NEGATIVE_INFINITY) > MERGE_STEPS,
  );
  return { first: all[from]?.one, begin: all[from]?.at, last: all.at(-1)?.at };
}

/** The first step after the broken ones at which one of these keys was logged again; null where none was. */
function stepAfter(
  { signals }: RunEvidence,
  found: readonly Broken[],
  lastBroken: number,
): number | null {
  const after = found.flatMap(
    ({ key }) => signals.get(key)?.step.find((step) => step > lastBroken) ?? [],
  );
  return after.length === 0 ? null : Math.min(...after);
}

/** `actor/entropy was NaN at step 28 and 2 steps after`. */
function wordsOf(key: string, broken: Broken["broken"]): string {
  const [first] = broken;
  const more = broken.length - 1;
  return `${key} was ${FLAG_WORDS[first?.flag ?? 1] ?? "NaN"} at step ${first?.step ?? 0}${more > 0 ? ` and at ${plural(more, "step")} after it` : ""}`;
}
