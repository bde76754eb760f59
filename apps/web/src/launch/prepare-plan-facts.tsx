import type { LaunchPlan, LaunchSpec, VerlPlan } from "@liverl/contract/launch";
import type { ReactNode } from "react";
import { formatDuration } from "#ui/format-duration.ts";
import { formatCount } from "#ui/format-number.ts";

type Fact = readonly [string, ReactNode];

/** What a plan comes to, line by line. */
export function preparePlanFacts(plan: LaunchPlan, spec: LaunchSpec): Fact[] {
  const prompts = plan.batchRollouts / spec.batch.n;
  const { steps } = plan;
  const isRest = steps < spec.trainer.total_training_steps;
  const isByVersion = plan.fullyAsync !== null;
  return [
    [
      "Batch",
      <>
        {formatCount(prompts)} × {spec.batch.n} = <b>{formatCount(plan.batchRollouts)}</b> rollouts
        a {isByVersion ? "version" : "step"}
      </>,
    ],
    [
      "In all",
      <>
        <b>{formatCount(plan.totalRollouts)}</b> rollouts, {formatCount(plan.optimizerSteps)}{" "}
        optimizer steps
      </>,
    ],
    ...(plan.kind === "verl" ? verlFacts(plan) : embeddedFacts(plan)),
    [
      isByVersion ? "Version" : "Step",
      plan.estimate
        ? `${formatDuration(plan.estimate.stepS)}, from earlier runs here`
        : "no earlier run to go by",
    ],
    [
      `${formatCount(steps)} ${isByVersion ? "versions" : "steps"}${isRest ? " left" : ""}`,
      plan.estimate ? <b key="total">{formatDuration(plan.estimate.totalS)}</b> : "—",
    ],
  ];
}

function embeddedFacts(plan: Exclude<LaunchPlan, VerlPlan>): Fact[] {
  return [
    ...(plan.fullyAsync
      ? ([
          [
            "Samples",
            `${formatCount(plan.fullyAsync.requiredSamples)} an update, at most ${formatCount(plan.fullyAsync.maxRequiredSamples)} begun a version`,
          ],
        ] as const)
      : []),
    ["Policy", `${formatCount(plan.parameters)} parameters`],
    ["Checkpoints", `${plan.checkpoints.count} × ${formatSize(plan.checkpoints.sizeMb)}`],
  ];
}

function verlFacts({ fullyAsync, parameters, checkpoints, pools }: VerlPlan): Fact[] {
  const trainer = pools.trainer.nodes * pools.trainer.gpusPerNode;
  const rollout = pools.rollout === null ? null : pools.rollout.nodes * pools.rollout.gpusPerNode;
  return [
    ...(fullyAsync
      ? ([
          [
            "Samples",
            `${formatCount(fullyAsync.requiredSamples)} an update, at most ${formatCount(fullyAsync.maxRequiredSamples)} ahead, ${formatCount(fullyAsync.totalRolloutSteps)} in all`,
          ],
        ] as const)
      : []),
    [
      "GPUs",
      <>
        <b>{trainer + (rollout ?? 0)}</b>
        {rollout === null
          ? " that train and roll out in turn"
          : `: ${trainer} train, ${rollout} roll out`}
      </>,
    ],
    [
      "Policy",
      parameters === null
        ? "not known here"
        : `${formatBillions(parameters.total)} parameters${parameters.active < parameters.total ? `, ${formatBillions(parameters.active)} a token` : ""}, by ${parameters.basis}`,
    ],
    [
      "Checkpoints",
      checkpoints.count === 0
        ? "none"
        : `${checkpoints.count}${checkpoints.sizeMb === null ? "" : ` × ${formatSize(checkpoints.sizeMb)}`}`,
    ],
  ];
}

const formatBillions = (count: number) =>
  count < 1e9 ? `${(count / 1e6).toFixed(1)} M` : `${(count / 1e9).toFixed(1)} B`;

function formatSize(mb: number): string {
  if (mb < 10) return `${mb.toFixed(1)} MB`;
  return mb < 1000 ? `${Math.round(mb)} MB` : `${(mb / 1000).toFixed(mb < 10_000 ? 1 : 0)} GB`;
}
