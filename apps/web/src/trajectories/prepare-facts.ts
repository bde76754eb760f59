import { describeTraining } from "@liverl/contract/rollout-training";
import type { RolloutRow, TrajectoryView } from "@liverl/contract/views";
import { countTokens, countTrained } from "#trajectories/prepare-tokens.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatCount, formatNumber, formatPercent, formatSigned } from "#ui/format-number.ts";

export interface Fact {
  label: string;
  value: string;
  small?: string;
  mono?: boolean;
  /** Hidden in a narrow window. */
  optional?: boolean;
  title?: string;
}

/** The strip of numbers at the top of the inspector. */
export function prepareFacts(view: TrajectoryView): Fact[] {
  const { rollout, verifier } = view;
  const tests =
    verifier && verifier.passed !== null && verifier.total !== null
      ? `${verifier.passed} / ${verifier.total} tests`
      : undefined;
  const trained = countTrained(view.turns);
  const total = countTokens(view.turns);
  const sigma = view.groupStd === null ? "mean" : `mean · σ ${view.groupStd.toFixed(2)}`;
  return [
    {
      label: "Reward",
      value: rollout.reward === null ? "none" : rollout.reward.toFixed(2),
      small: tests,
    },
    {
      label: "Advantage",
      value: formatAdvantage(view.advantage.value),
      title: view.advantage.why ?? "Reward against the mean of its group, as the update used it",
    },
    {
      label: `Group ${placeInGroup(view)} of ${view.group.length}`,
      value: view.groupMean === null ? "—" : view.groupMean.toFixed(2),
      small: sigma,
    },
    { label: "Turns", value: formatCount(rollout.turns) },
    tokensFact(rollout, trained, total),
    ...askedIn(rollout),
    { label: "Weights", value: formatVersions(rollout.versionSpan), mono: true },
    {
      label: "Mean log p",
      value: formatNumber(view.logprobs?.mean ?? null),
      small: "nat",
      optional: true,
      title: "Of the sampled tokens of this segment",
    },
    { label: "Ended", value: endedAs(rollout), optional: true },
    { label: "Wall", value: formatDuration(wallSeconds(rollout)), optional: true },
  ];
}

/** How many tokens train, and what became of them. */
function tokensFact({ training, tokensSampled }: RolloutRow, trained: number, total: number): Fact {
  const words = describeTraining(training);
  const title = words === null ? undefined : `This rollout: ${words}`;
  const of = total > 0 ? `of ${formatCount(total)}` : undefined;
  // An evaluation, and what is not settled yet, has sampled tokens and no more to tell.
  if (training.state === "never" || training.state === "no-reward" || training.state === "waiting")
    return {
      ...{ label: "Tokens sampled", title },
      value: formatCount(training.state === "waiting" ? trained : tokensSampled),
      small: [of, training.state === "never" ? null : words].filter(Boolean).join(" · "),
    };
  const share = total > 0 ? formatPercent(trained / total) : undefined;
  return {
    ...{ label: "Tokens trained", title },
    value: formatCount(trained),
    small: [of, training.state === "trained" ? share : (words ?? share)]
      .filter(Boolean)
      .join(" · "),
  };
}

/** Where it is another than the step that trained it: the address and the crumbs name that one. */
function askedIn({ step, askedStep }: RolloutRow): Fact[] {
  if (askedStep === null || askedStep === step) return [];
  return [
    {
      label: "Asked in",
      value: `step ${askedStep}`,
      small: step === null ? "in no update" : `taken by step ${step}`,
      title: "The trainer works apart from the engines: a rollout trains once it is done",
    },
  ];
}

/** From 1: an evaluation numbers its rollouts through all of its groups. */
const placeInGroup = ({ group, rollout }: TrajectoryView): number =>
  group.findIndex(({ rolloutId }) => rolloutId === rollout.rolloutId) + 1;

export function formatAdvantage(advantage: number | null): string {
  return advantage === null ? "—" : formatSigned(advantage, (size) => size.toFixed(2));
}

/** `v3`, `v3–v4`, or a dash. */
export function formatVersions(span: readonly [number, number] | null): string {
  if (span === null) return "—";
  return span[0] === span[1] ? `v${span[0]}` : `v${span[0]}–v${span[1]}`;
}

const ENDS: Record<NonNullable<RolloutRow["termination"]>, string> = {
  "agent-finished": "agent finished",
  timeout: "timeout",
  "max-turns": "out of turns",
  "context-overflow": "context full",
  "agent-error": "agent error",
  "infra-error": "infrastructure error",
  cancelled: "cancelled",
};

/** How an attempt ended, in words; what it does now when it has not. */
export function endedAs(rollout: Pick<RolloutRow, "termination" | "status" | "error">): string {
  if (rollout.termination !== null) return ENDS[rollout.termination];
  return rollout.status;
}

export function wallSeconds(rollout: Pick<RolloutRow, "startedAt" | "endedAt">): number | null {
  if (rollout.startedAt === null || rollout.endedAt === null) return null;
  return (Date.parse(rollout.endedAt) - Date.parse(rollout.startedAt)) / 1000;
}
