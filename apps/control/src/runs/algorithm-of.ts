import type { LaunchSpec } from "@liverl/contract/launch";

/** What people call the algorithm of a spec: `gspo` is verl's loss over GRPO's advantages, `ppo` has a critic. */
export function algorithmOf(spec: LaunchSpec): string {
  const { loss_mode, adv_estimator } = spec.algorithm;
  if (loss_mode !== "vanilla") return loss_mode;
  return adv_estimator === "gae" ? "ppo" : adv_estimator;
}
