import type { PreflightItem, VerlPlan } from "@liverl/contract/launch";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import { atOverrides, effectiveSpec } from "#launch/effective-spec.ts";
import type { VerlEvidence } from "#launch/verl-evidence/verl-evidence.ts";
import { ALGORITHM_RULES } from "#launch/verl-rules/algorithm-rules.ts";
import { BATCH_RULES } from "#launch/verl-rules/batch-rules.ts";
import { CRITIC_RULES } from "#launch/verl-rules/critic-rules.ts";
import { DATA_RULES, GATE_RULE } from "#launch/verl-rules/data-rules.ts";
import { ENGINE_RULES } from "#launch/verl-rules/engine-rules.ts";
import { FULLY_ASYNC_RULES } from "#launch/verl-rules/fully-async-rules.ts";
import { KUBE_RULES } from "#launch/verl-rules/kube-rules.ts";
import { LENGTH_RULES } from "#launch/verl-rules/length-rules.ts";
import { MACHINE_RULES } from "#launch/verl-rules/machine-rules.ts";
import { judgeMemory } from "#launch/verl-rules/memory-rules.ts";
import { OWN_ENV_RULES } from "#launch/verl-rules/own-env-rules.ts";
import { OWN_KEY_RULES } from "#launch/verl-rules/own-key-rules.ts";
import { ROLLOUT_RULES } from "#launch/verl-rules/rollout-rules.ts";
import { SCHEDULE_RULES } from "#launch/verl-rules/schedule-rules.ts";
import type { Finding } from "#launch/verl-rules/verl-rule.ts";
import { judgeOverrides } from "#launch/verl-rules/word-rules.ts";

export const VERL_RULES = [
  ...MACHINE_RULES,
  ...KUBE_RULES,
  ...ROLLOUT_RULES,
  ...ENGINE_RULES,
  ...BATCH_RULES,
  ...CRITIC_RULES,
  ...LENGTH_RULES,
  ...ALGORITHM_RULES,
  ...FULLY_ASYNC_RULES,
  ...DATA_RULES,
  GATE_RULE,
  ...SCHEDULE_RULES,
  ...OWN_KEY_RULES,
  ...OWN_ENV_RULES,
];

/** Every rule's word on a spec: what would stop the run, make it useless, or is in order. Pure. */
export function judgeVerl(spec: VerlSpec, evidence: VerlEvidence, plan: VerlPlan): PreflightItem[] {
  const effective = effectiveSpec(spec);
  const item = (id: string, finding: Finding): PreflightItem =>
    atOverrides(effective.shadows, { id, ...finding });
  return [
    ...VERL_RULES.flatMap(({ id, judge }) => {
      const finding = judge(effective.spec, evidence);
      return finding ? [item(id, finding)] : [];
    }),
    ...judgeMemory(effective.spec, plan, evidence.freeDiskMb).map(({ id, finding }) =>
      item(id, finding),
    ),
    ...judgeOverrides(spec).map(({ id, finding }) => ({ id, ...finding })),
  ];
}
