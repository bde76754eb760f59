import { COMPUTED_KEYS, DROPPED_PREFIX } from "@liverl/contract/metric";
import {
  describeReasons,
  type UntrainedSum,
  untrainedTotal,
} from "@liverl/contract/untrained-tokens";
import type { GroupRow, Headline, StepView } from "@liverl/contract/views";

type History = ReadonlyMap<string, readonly (readonly [step: number, value: number | null])[]>;

/** Logged series that a headline takes its history from. */
const HISTORY_KEY = {
  reward: "critic/rewards/mean",
  zeroStd: COMPUTED_KEYS.zeroStd,
  invalid: COMPUTED_KEYS.invalidRatio,
  turns: COMPUTED_KEYS.turnsMean,
  untrained: COMPUTED_KEYS.untrained,
  truncated: "response_length/clip_ratio",
  mismatch: "training/rollout_probs_diff_mean",
  entropy: "actor/entropy",
} as const;
export const HEADLINE_KEYS: string[] = Object.values(HISTORY_KEY);

const mean = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;

/** The numbers on top of a step's page, from its rollouts where we have them, else from what the trainer logged. Pure. */
export function buildHeadlines(
  groups: readonly GroupRow[],
  history: History,
  step: number | null,
  { metrics, untrained }: Pick<StepView, "metrics" | "untrained"> = {
    metrics: [],
    untrained: null,
  },
): Headline[] {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const ended = rollouts.filter((rollout) => rollout.endedAt !== null);
  const count = (test: (rollout: (typeof rollouts)[number]) => boolean) =>
    rollouts.filter(test).length;
  const judged = groups.filter((group) => group.std !== null);
  const equal = judged.filter((group) => group.std === 0);
  // With a critic, equal rewards train all the same.
  const teaches = equal.some((group) => !group.isFlat);
  const past = (id: keyof typeof HISTORY_KEY) => pastOf(history, HISTORY_KEY[id], step);
  const logged = (id: keyof typeof HISTORY_KEY) =>
    (history.get(HISTORY_KEY[id]) ?? []).find(([at]) => at === step)?.[1] ?? null;
  const none = { previous: null, history: [] };
  return [
    {
      id: "rollouts",
      label: "Rollouts",
      value: rollouts.length === 0 ? null : ended.length,
      of: rollouts.length,
      unit: "count",
      hint: "finished",
      ...none,
    },
    {
      id: "reward",
      label: "Reward",
      value: mean(rollouts.flatMap((rollout) => rollout.reward ?? [])) ?? logged("reward"),
      of: null,
      unit: "number",
      hint: "mean of those that have one",
      ...past("reward"),
    },
    {
      id: "zero-std",
      label: "Zero-spread groups",
      value: judged.length === 0 ? logged("zeroStd") : equal.length / judged.length,
      of: null,
      unit: "ratio",
      hint: `${judged.length === 0 ? "" : `${equal.length} of ${judged.length}: `}equal rewards${teaches ? "" : ", no advantage, nothing to learn"}`,
      ...past("zeroStd"),
    },
    {
      id: "truncated",
      label: "Truncated",
      value:
        rollouts.length === 0
          ? logged("truncated")
          : count((rollout) => rollout.truncated) / rollouts.length,
      of: null,
      unit: "ratio",
      hint: "an answer was cut at its length",
      ...past("truncated"),
    },
    {
      id: "invalid",
      label: "Without reward",
      value:
        rollouts.length === 0
          ? logged("invalid")
          : count((rollout) => rollout.status === "failed") / rollouts.length,
      of: null,
      unit: "ratio",
      hint: "ended with an error",
      ...past("invalid"),
    },
    ...filteredOut(rollouts.length, metrics),
    ...notTrained(untrained, past("untrained")),
    {
      id: "mixed",
      label: "Mixed versions",
      value:
        rollouts.length === 0
          ? null
          : count(
              (rollout) =>
                rollout.versionSpan !== null && rollout.versionSpan[0] !== rollout.versionSpan[1],
            ) / rollouts.length,
      of: null,
      unit: "ratio",
      hint: "sampled under several weights",
      ...none,
    },
    {
      id: "turns",
      label: "Turns",
      value: mean(ended.flatMap((rollout) => rollout.turns ?? [])) ?? logged("turns"),
      of: null,
      unit: "number",
      hint: "mean of a rollout",
      ...past("turns"),
    },
    {
      id: "tokens",
      label: "Tokens sampled",
      value:
        rollouts.length === 0
          ? null
          : rollouts.reduce((sum, rollout) => sum + (rollout.tokensSampled ?? 0), 0),
      of:
        rollouts.length === 0
          ? null
          : rollouts.reduce((sum, rollout) => sum + (rollout.tokensTotal ?? 0), 0),
      unit: "tokens",
      hint: "of all tokens",
      ...none,
    },
    {
      id: "mismatch",
      label: "Prob. difference",
      value: logged("mismatch"),
      of: null,
      unit: "number",
      hint: "mean |p rollout − p trainer|",
      ...past("mismatch"),
    },
    {
      id: "entropy",
      label: "Entropy",
      value: logged("entropy"),
      of: null,
      unit: "number",
      hint: "nats per token",
      ...past("entropy"),
    },
  ];
}

/** Of a run with a trajectory filter, once all of the step's rollouts have ended: how many it kept out, and why. */
function filteredOut(of: number, metrics: StepView["metrics"]): Headline[] {
  const drops = metrics.filter(({ key }) => key.startsWith(DROPPED_PREFIX));
  if (drops.length === 0) return [];
  const named = drops
    .filter(({ value }) => (value ?? 0) > 0)
    .map(({ key, value }) => `${key.slice(DROPPED_PREFIX.length)} ${value}`);
  return [
    {
      id: "filtered",
      label: "Filtered out",
      value: drops.reduce((sum, { value }) => sum + (value ?? 0), 0),
      of: of === 0 ? null : of,
      unit: "count",
      hint: named.join(", ") || "kept out of the update: none",
      previous: null,
      history: [],
    },
  ];
}

/** Only where sampled tokens did not train. */
function notTrained(
  sum: UntrainedSum | null,
  past: Pick<Headline, "previous" | "history">,
): Headline[] {
  const total = sum === null ? 0 : untrainedTotal(sum);
  if (sum === null || total === 0) return [];
  return [
    {
      id: "untrained",
      label: "Tokens not trained",
      value: total / sum.sampled,
      of: null,
      unit: "ratio",
      hint: `of sampled tokens: ${describeReasons(sum)}`,
      ...past,
    },
  ];
}

function pastOf(
  history: History,
  key: string,
  step: number | null,
): Pick<Headline, "previous" | "history"> {
  const points = history.get(key) ?? [];
  if (step === null) return { previous: null, history: [] };
  return {
    // Of the step before and no other: the page names it.
    previous: points.find(([at]) => at === step - 1)?.[1] ?? null,
    history: points.map(([, value]) => value),
  };
}
