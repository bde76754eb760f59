import { availableParallelism } from "node:os";
import type { EmbeddedSpec } from "@liverl/contract/launch";
import { DROP_REASONS } from "@liverl/contract/verl-launch";
import type { Check } from "#launch/preflight-check.ts";

/** What of an embedded spec's algorithm, mode and filter does not fit together. Pure but for the number of processors. */
export function judgeAlgorithm(
  spec: EmbeddedSpec,
  cpus: number = availableParallelism(),
): [string, Check][] {
  const { adv_estimator, loss_mode, trainer_mode } = spec.algorithm;
  return [
    ["group-size", judgeGroupSize(spec)],
    ["learning-rate", judgeLearningRate(spec)],
    ...(adv_estimator === "gae" ? ([["critic-warmup", judgeCriticWarmup(spec)]] as const) : []),
    ...(loss_mode === "gspo" ? ([["gspo-clip", judgeSequenceClip(spec)]] as const) : []),
    ...(trainer_mode === "fully_async" ? judgeAsync(spec, cpus) : []),
    ...(spec.trajectory_filter.enable ? ([["filter", judgeFilter(spec)]] as const) : []),
  ] as [string, Check][];
}

function judgeGroupSize({ batch: { n }, algorithm }: EmbeddedSpec): Check {
  const field = "batch.n";
  const fix = { label: "Use 8", path: field, value: 8 };
  if (algorithm.adv_estimator === "gae")
    return {
      ...{ status: "pass", title: "Group size", field },
      why: `${n} ${n === 1 ? "rollout" : "rollouts"} a task; the value head is what each is compared with.`,
    };
  if (n === 1)
    return {
      ...{ status: "fail", title: "Nothing to compare a rollout with", field, fix },
      why: "GRPO takes a rollout's reward against the mean of its group, and a group of 1 has no other: nothing would train.",
    };
  if (n >= 4)
    return {
      ...{ status: "pass", title: "Group size", field },
      why: `${n} rollouts a task are compared with each other.`,
    };
  return {
    ...{ status: "warn", title: "Groups are very small", field, fix },
    why: `With ${n} rollouts a task most groups have equal rewards, and those teach nothing.`,
  };
}

/** The presets train this policy of a few hundred thousand weights with 1e-3. */
const EMBEDDED_LR = { usual: 1e-3, min: 1e-5, max: 1e-2 };

function judgeLearningRate({ optim: { lr } }: EmbeddedSpec): Check {
  const field = "optim.lr";
  const { usual, min, max } = EMBEDDED_LR;
  if (lr >= min && lr <= max)
    return { status: "pass", title: "Learning rate", field, why: `${lr} with Adam.` };
  return {
    ...{ status: "warn", field },
    title: lr > max ? "Learning rate is very high" : "Learning rate is very low",
    why:
      lr > max
        ? `${lr} is ${Math.round(lr / usual)} times the presets' ${usual}: the policy will probably collapse.`
        : `${lr} is ${Math.round(usual / lr)} times below the presets' ${usual}: the policy will hardly change.`,
    fix: { label: `Use ${usual}`, path: field, value: usual },
  };
}

function judgeCriticWarmup({ critic, trainer }: EmbeddedSpec): Check {
  const field = "critic.critic_warmup";
  const { total_training_steps: steps } = trainer;
  if (critic.critic_warmup > steps)
    return {
      ...{ status: "fail", title: "The policy never trains", field },
      why: `It would join at step ${critic.critic_warmup}, and the plan ends at step ${steps}.`,
      fix: { label: "Let it join at once", path: field, value: 0 },
    };
  return {
    ...{ status: "pass", title: "Critic", field },
    why:
      critic.critic_warmup <= 1
        ? "Value head and policy train from the first step."
        : `The value head trains alone before step ${critic.critic_warmup}.`,
  };
}

/** Ratios of whole sequences stray far less than those of tokens: the paper clips at 3e-4 and 4e-4 (arXiv 2507.18071, §5.1). */
function judgeSequenceClip({ algorithm }: EmbeddedSpec): Check {
  const field = "algorithm.clip_ratio_high";
  const { clip_ratio_low: low, clip_ratio_high: high } = algorithm;
  if (Math.max(low, high) <= 0.1)
    return {
      ...{ status: "pass", title: "Sequence clip", field },
      why: `The ratio of a sequence is held between ${1 - low} and ${1 + high}.`,
    };
  return {
    ...{ status: "warn", title: "The clip hardly ever acts", field },
    why: `The ratio of a whole sequence is a mean over its tokens: it seldom leaves ${1 - low} to ${1 + high}. These bounds are for tokens.`,
    fix: {
      ...{ label: "Use 0.003 and 0.004", path: field, value: 0.004 },
      also: { "algorithm.clip_ratio_low": 0.003 },
    },
  };
}

function judgeAsync(spec: EmbeddedSpec, cpus: number): [string, Check][] {
  const { staleness_threshold, partial_rollout } = spec.async;
  return [
    ["staleness", judgeStaleness(staleness_threshold)],
    ["partial-rollout", judgePartial(staleness_threshold, partial_rollout)],
    ["async-cpus", judgeRoom(cpus)],
  ];
}

function judgeStaleness(threshold: number): Check {
  const field = "async.staleness_threshold";
  if (threshold === 0)
    return {
      ...{ status: "warn", title: "Engines wait for every update", field },
      why: "With a staleness threshold of 0 nothing is begun ahead of the weights: the run is as slow as in sync mode.",
      fix: { label: "Use 0.5", path: field, value: 0.5 },
    };
  const most = Math.ceil(threshold);
  // verl's advice: `staleness_threshold` under 1.
  return {
    ...{ status: threshold > 1 ? "warn" : "pass", field },
    title: threshold > 1 ? "Rollouts may be very old" : "Staleness",
    why: `A token that trains is at most ${most} weight ${most === 1 ? "version" : "versions"} behind; what is older is dropped and counted.`,
    fix: threshold > 1 ? { label: "Use 0.5", path: field, value: 0.5 } : null,
  };
}

function judgePartial(threshold: number, isPartial: boolean): Check {
  const field = "async.partial_rollout";
  if (isPartial && threshold === 0)
    return {
      ...{ status: "warn", title: "Partial rollouts have no effect", field },
      why: "With a staleness threshold of 0 nothing runs when the weights change, so nothing is interrupted.",
      fix: { label: "Turn them off", path: field, value: false },
    };
  return {
    ...{ status: "pass", title: "Weight syncs", field },
    why: isPartial
      ? "A sync interrupts generations; they go on from their tokens under the new weights."
      : "A sync waits until nothing is in flight: no rollout mixes versions.",
  };
}

function judgeRoom(cpus: number): Check {
  return cpus >= 2
    ? {
        status: "pass",
        title: "Room for both",
        why: `Engines and trainer work at the same time on ${cpus} processors.`,
      }
    : {
        status: "warn",
        title: "Engines and trainer share one processor",
        why: "They work at the same time in fully_async, so each is slower: sync mode takes no longer here.",
        field: "algorithm.trainer_mode",
        fix: { label: "Use sync", path: "algorithm.trainer_mode", value: "sync" },
      };
}

function judgeFilter({ trajectory_filter: { drop_reasons } }: EmbeddedSpec): Check {
  const field = "trajectory_filter.drop_reasons";
  const unknown = drop_reasons.filter((name) => !DROP_REASONS.includes(name.replaceAll("_", "-")));
  if (unknown.length > 0)
    return {
      ...{ status: "fail", title: `There is no reason ${unknown.join(", ")}`, field },
      why: `A rollout is dropped for one of ${DROP_REASONS.join(", ")}.`,
      fix: {
        ...{ label: "Keep those that are known", path: field },
        value: drop_reasons.filter((name) => !unknown.includes(name)),
      },
    };
  if (drop_reasons.length === 0)
    return {
      ...{ status: "warn", title: "The filter drops nothing", field },
      why: "It is on and has no reason to drop by.",
      fix: { label: "Turn it off", path: "trajectory_filter.enable", value: false },
    };
  return {
    ...{ status: "pass", title: "Trajectory filter", field },
    why: `Rollouts that ended by ${drop_reasons.join(", ")} are kept out of the update and counted.`,
  };
}
