import type { PreflightItem, VerlPlan } from "@liverl/contract/launch";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Context } from "#context.ts";
import { judgeFork } from "#forks/judge-fork.ts";
import { checkAgent } from "#launch/check-agent.ts";
import { checkDataPlane } from "#launch/check-data-plane.ts";
import { checkName } from "#launch/check-name.ts";
import { findPlaceFaults } from "#launch/check-places.ts";
import { checkSandboxes } from "#launch/check-sandboxes.ts";
import { atOverrides, effectiveSpec } from "#launch/effective-spec.ts";
import type { VerlEvidence } from "#launch/verl-evidence/verl-evidence.ts";
import { judgeVerl } from "#launch/verl-rules/judge-verl.ts";

/** LiveRL's own parts, then every rule of verl and of what the spec names. */
export async function preflightVerl(
  ctx: Pick<Context, "db" | "runner" | "config">,
  spec: VerlSpec,
  evidence: VerlEvidence,
  plan: VerlPlan,
): Promise<PreflightItem[]> {
  const { spec: effective, shadows } = effectiveSpec(spec);
  const [dataPlane, sandboxes, agent, name, fork] = await Promise.all([
    checkDataPlane(ctx),
    checkSandboxes(ctx, effective, evidence),
    checkAgent(ctx, effective, evidence),
    checkName(ctx, spec),
    judgeFork(ctx, spec),
  ]);
  const places = findPlaceFaults(ctx.config.places, effective);
  const own = [
    ...places.map(({ field, why }) => ({
      id: `places-${field}`,
      status: "fail" as const,
      title: "Not allowed for launches",
      ...{ why, field },
    })),
    { id: "data-plane", ...dataPlane },
    ...(sandboxes ? [{ id: "sandboxes", ...sandboxes }] : []),
    ...(agent ? [{ id: "agent", ...agent }] : []),
    { id: "name", ...name },
    ...(fork ? [{ id: "fork", ...fork }] : []),
  ].map((item) => atOverrides(shadows, { fix: null, field: null, ...item }));
  return [...own, ...judgeVerl(spec, evidence, plan)];
}
