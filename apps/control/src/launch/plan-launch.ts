import {
  type EmbeddedSpec,
  LaunchSpec,
  launchFaults,
  type PlanLaunchResult,
} from "@liverl/contract/launch";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Context } from "#context.ts";
import { effectiveSpec } from "#launch/effective-spec.ts";
import { planEmbedded, promptsOfStep } from "#launch/plan-embedded.ts";
import { planVerl } from "#launch/plan-verl.ts";
import { preflightEmbedded } from "#launch/preflight-embedded.ts";
import { preflightVerl } from "#launch/preflight-verl.ts";
import { typicalStepS } from "#launch/typical-step-s.ts";
import { gatherVerlEvidence } from "#launch/verl-evidence/gather-verl-evidence.ts";

/** What the form's values would do: faults of shape, or the plan and what preflight says of it. Nothing is started. */
export async function planLaunch(
  ctx: Context,
  { spec }: { spec?: unknown },
): Promise<PlanLaunchResult> {
  const parsed = LaunchSpec.safeParse(spec);
  if (!parsed.success) {
    return { faults: launchFaults(parsed.error), plan: null, preflight: [] };
  }
  return parsed.data.driver === "embedded"
    ? answerEmbedded(ctx, parsed.data)
    : answerVerl(ctx, parsed.data);
}

async function answerEmbedded(ctx: Context, spec: EmbeddedSpec): Promise<PlanLaunchResult> {
  const size = promptsOfStep(spec) * spec.batch.n;
  const plan = planEmbedded(spec, ctx.config, await typicalStepS(ctx, spec, size));
  return { faults: [], plan, preflight: await preflightEmbedded(ctx, spec, plan) };
}

async function answerVerl(ctx: Context, spec: VerlSpec): Promise<PlanLaunchResult> {
  const effective = effectiveSpec(spec).spec;
  const { dataDir } = ctx.config;
  const evidence = await gatherVerlEvidence(ctx.config, effective);
  const plan = planVerl(effective, evidence, { dataDir });
  const stepS = await typicalStepS(ctx, effective, plan.batchRollouts);
  return {
    faults: [],
    plan: { ...plan, estimate: stepS === null ? null : { stepS, totalS: stepS * plan.steps } },
    preflight: await preflightVerl(ctx, spec, evidence, plan),
  };
}
