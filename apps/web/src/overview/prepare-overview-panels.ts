import {
  COMPUTED_KEYS,
  evaluationKey,
  METRIC_ALIASES,
  STALE_SAMPLES,
} from "@liverl/contract/metric";
import type { PanelSpec, SeriesSpec } from "#charts/panel-spec.ts";
import { formatOfKey } from "#charts/value-format.ts";

export type OverviewColumn = {
  id: "progress" | "stability" | "performance" | "failures";
  title: string;
  panels: PanelSpec[];
};

/**
 * The twelve panels, by four questions. Each place takes the first of its keys that the run logs,
 * so that a foreign run fills them too; with none yet it keeps its first choice and waits.
 * `color` is the run's own.
 */
export function prepareOverviewPanels(known: ReadonlySet<string>, color: string): OverviewColumn[] {
  const pick = (...keys: string[]): string => keys.find((key) => known.has(key)) ?? keys[0] ?? "";
  const line = (key: string, why: string, rest: Partial<PanelSpec> = {}): PanelSpec => ({
    title: key,
    why,
    series: [{ key, label: shortName(key), color }],
    format: formatOfKey(key),
    headKey: key,
    ...rest,
  });
  return [
    {
      id: "progress",
      title: "Progress",
      panels: [rewardPanel(pick, line), heldOutPanel(known, color), groupsPanel(known, pick, line)],
    },
    { id: "stability", title: "Stability", panels: stabilityPanels(pick, line) },
    {
      id: "performance",
      title: "Performance",
      panels: [stepTimePanel(known), idlePanel(known), mfuPanel(known, pick, line, color)],
    },
    {
      id: "failures",
      title: "Failures",
      panels: [
        failurePanel(known, pick, color),
        lengthPanel(known, pick, color),
        thirdOfFailures(known, pick, line),
      ],
    },
  ];
}

type Pick = (...keys: string[]) => string;
type Line = (key: string, why: string, rest?: Partial<PanelSpec>) => PanelSpec;

/** Roles of a panel keep their colours from run to run; the run's own is for a line that stands alone. */
const FIRST = { color: "--c1" } as const;
const SECOND = { color: "--c2", isDashed: true } as const;

function shortName(key: string): string {
  const parts = key.split("/");
  const last = parts.at(-1) ?? key;
  return last === "mean" && parts.length > 1 ? `${parts.at(-2) ?? ""} mean` : last;
}

function rewardPanel(pick: Pick, line: Line): PanelSpec {
  return line(
    pick(...METRIC_ALIASES["reward/mean"]),
    "Training reward: mean over the rollouts of the step",
    {
      startsAtZero: true,
    },
  );
}

function heldOutPanel(known: ReadonlySet<string>, color: string): PanelSpec {
  const key = evaluationKey(known) ?? "val-core/liverl/repair/acc/mean@1";
  return {
    title: key,
    why: "In-run evaluation: mean reward on held-out tasks",
    series: [{ key, label: "in-run evaluation", color, isHollow: true }],
    format: "auto",
    headKey: key,
    startsAtZero: true,
    ceiling: 1,
  };
}

function groupsPanel(known: ReadonlySet<string>, pick: Pick, line: Line): PanelSpec {
  if (known.size > 0 && !known.has(COMPUTED_KEYS.groupsPart)) {
    return line(
      pick("critic/advantages/max", "critic/score/max"),
      "Largest advantage of the batch; 0 means that no group carried gradient",
    );
  }
  return {
    title: "group/solved",
    why: "Share of groups with none, part or all solved; only part-solved groups carry gradient",
    series: [
      { key: COMPUTED_KEYS.groupsPart, label: "Part", color: "--part-solved" },
      { key: COMPUTED_KEYS.groupsAll, label: "All", color: "--c6" },
      { key: COMPUTED_KEYS.groupsNone, label: "None", color: "--ink-4" },
    ],
    format: "percent",
    headKey: COMPUTED_KEYS.groupsPart,
    isStacked: true,
    startsAtZero: true,
    ceiling: 1,
  };
}

function stabilityPanels(pick: Pick, line: Line): PanelSpec[] {
  const mismatch = pick("rollout_corr/kl", "training/rollout_probs_diff_mean", "actor/kl_loss");
  const moved = pick("actor/ppo_kl", "actor/grad_norm");
  return [
    line(mismatch, "Rollout against trainer: 0 when both agree"),
    moved === "actor/ppo_kl"
      ? line(moved, "KL of the new policy against the one that sampled")
      : line(moved, "Gradient norm before clipping", { startsAtZero: true }),
    line(pick(...METRIC_ALIASES.entropy), "Mean token entropy, nats"),
  ];
}

const PHASES: readonly (readonly [keys: readonly string[], label: string, color: string])[] = [
  [["timing_s/gen"], "Rollouts", "--c1"],
  [["timing_s/old_log_prob", "timing_s/ref"], "Logp", "--c7"],
  [["timing_s/update_actor"], "Update", "--ph-train"],
  [["timing_s/update_weights"], "Sync", "--ph-verify"],
  [["timing_s/testing"], "Eval", "--ph-tool"],
];

function stepTimePanel(known: ReadonlySet<string>): PanelSpec {
  const series: SeriesSpec[] = [];
  for (const [keys, label, color] of PHASES) {
    const key = keys.find((name) => known.has(name));
    if (key !== undefined) series.push({ key, label, color });
  }
  const total =
    known.has("perf/time_per_step") && !known.has("timing_s/step")
      ? "perf/time_per_step"
      : "timing_s/step";
  return {
    title: total,
    why: "Wall time of one step by phase",
    series: series.length > 0 ? series : [{ key: total, label: "step", color: "--c1" }],
    format: "duration",
    headKey: total,
    isStacked: series.length > 0,
    startsAtZero: true,
  };
}

function idlePanel(known: ReadonlySet<string>): PanelSpec {
  const found = (keys: readonly string[]) => keys.find((key) => known.has(key));
  const trainer = found(METRIC_ALIASES["idle_ratio/trainer"]);
  const rollouter = found(METRIC_ALIASES["idle_ratio/rollouter"]);
  const head = trainer ?? rollouter ?? METRIC_ALIASES["idle_ratio/trainer"][0];
  return {
    title: "idle_ratio",
    why: "Share of the step that each side waits for the other",
    series: [
      { key: trainer ?? METRIC_ALIASES["idle_ratio/trainer"][0], label: "Trainer", ...FIRST },
      {
        key: rollouter ?? METRIC_ALIASES["idle_ratio/rollouter"][0],
        label: "Rollouter",
        ...SECOND,
      },
    ],
    format: "percent",
    headKey: head,
    startsAtZero: true,
    ceiling: 1,
  };
}

function mfuPanel(known: ReadonlySet<string>, pick: Pick, line: Line, color: string): PanelSpec {
  const key = pick(...METRIC_ALIASES["mfu/actor"], "perf/total_num_tokens");
  if (key === "perf/total_num_tokens")
    return line(key, "Tokens of the step", { startsAtZero: true });
  const whole: SeriesSpec = {
    key: COMPUTED_KEYS.mfu,
    label: "End to end",
    ...SECOND,
  };
  const hasWhole = known.has(COMPUTED_KEYS.mfu);
  return line(key, "Achieved over peak FLOPs: in the update, and in the whole step", {
    startsAtZero: true,
    series: hasWhole
      ? [{ key, label: "Update", ...FIRST }, whole]
      : [{ key, label: "Update", color }],
  });
}

function failurePanel(known: ReadonlySet<string>, pick: Pick, color: string): PanelSpec {
  const invalid = pick(COMPUTED_KEYS.invalidRatio, "response/aborted_ratio");
  const hasAgentErrors = known.has(COMPUTED_KEYS.agentErrors);
  const series: SeriesSpec[] = hasAgentErrors
    ? [
        { key: invalid, label: "Invalid", ...FIRST },
        { key: COMPUTED_KEYS.agentErrors, label: "Agent error", ...SECOND },
      ]
    : [{ key: invalid, label: "Invalid", color }];
  return {
    title: invalid,
    why: hasAgentErrors
      ? "Invalid: rollouts without a usable reward; agent error: it failed, and was judged all the same"
      : "Rollouts without a usable reward",
    series,
    format: "percent",
    headKey: invalid,
    startsAtZero: true,
    ceiling: 1,
  };
}

const STALENESS = "training/off_policy/trajectory_staleness_worst/max";
const CLIP_RATIO = "response_length/clip_ratio";

/** Old weights are what asynchronous rollouts fail by; where there are none, answers that were cut. */
function thirdOfFailures(known: ReadonlySet<string>, pick: Pick, line: Line): PanelSpec {
  const key = pick(
    ...(known.has(STALE_SAMPLES) ? [STALENESS] : []),
    CLIP_RATIO,
    COMPUTED_KEYS.zeroStd,
    COMPUTED_KEYS.turnsMean,
  );
  const whys: Record<string, string> = {
    [STALENESS]: "Versions between sampling and training, the oldest of the batch",
    [COMPUTED_KEYS.zeroStd]: "Groups whose rollouts all got the same reward: no gradient",
    [COMPUTED_KEYS.turnsMean]: "Turns per rollout, mean",
  };
  const isShare = key === CLIP_RATIO || key === COMPUTED_KEYS.zeroStd;
  return line(key, whys[key] ?? "Answers that reached the length cap and were cut", {
    startsAtZero: true,
    ...(isShare && { ceiling: 1 }),
  });
}

function lengthPanel(known: ReadonlySet<string>, pick: Pick, color: string): PanelSpec {
  const key = pick(...METRIC_ALIASES["response_length/mean"]);
  const hasEdges = known.has("response_length/min") && known.has("response_length/max");
  return {
    title: key,
    why: hasEdges ? "Tokens per rollout, mean with min–max" : "Tokens per rollout, mean",
    series: [
      {
        key,
        label: "mean",
        color,
        band: hasEdges ? ["response_length/min", "response_length/max"] : undefined,
      },
    ],
    format: "count",
    headKey: key,
    startsAtZero: true,
  };
}
