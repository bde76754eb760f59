import { COMPARING_ESTIMATORS, type VerlSpec } from "@liverl/contract/verl-launch";
import { effectiveSpec, readOverride } from "#launch/effective-spec.ts";
import { type Finding, fail, pass, set, warn } from "#launch/verl-rules/verl-rule.ts";

/**
 * Every word that verl 0.9.1 takes where it takes words; most unknown ones are found only when a worker needs them.
 * Registries of core_algos.py, workers/config/{actor,engine,rollout}.py, utils/tracking.py.
 */
const WORDS: Record<string, readonly string[]> = {
  "algorithm.adv_estimator": [
    "gae",
    "grpo",
    "reinforce_plus_plus",
    "reinforce_plus_plus_baseline",
    "remax",
    "rloo",
    "rloo_vectorized",
    "opo",
    "grpo_passk",
    "gpg",
    "grpo_vectorized",
    "optimal_token_baseline",
    "tir_optimal_token_baseline",
    "gdpo",
    ...COMPARING_ESTIMATORS.map((name) => `liverl_${name}`),
  ],
  "actor_rollout_ref.actor.policy_loss.loss_mode": [
    "vanilla",
    "dppo_tv",
    "dppo_kl",
    "gspo",
    "sapo",
    "gpg",
    "clip_cov",
    "kl_cov",
    "geo_mean",
    "dro",
    "cispo",
    "bypass_mode",
  ],
  "actor_rollout_ref.actor.loss_agg_mode": [
    "token-mean",
    "token-sum",
    "seq-mean-token-sum",
    "seq-mean-token-mean",
    "seq-mean-token-sum-norm",
  ],
  "actor_rollout_ref.actor.strategy": ["fsdp", "fsdp2", "fsdp_turbo", "veomni", "megatron"],
  "actor_rollout_ref.actor.veomni.router_replay.mode": ["disabled", "R2", "R3"],
  "actor_rollout_ref.actor.megatron.router_replay.mode": ["disabled", "R2", "R3"],
  "trainer.v1.sampler.max_off_policy_strategy": ["drop", "wait"],
  "trainer.resume_mode": ["auto", "disable", "resume_path"],
  "algorithm.kl_penalty": ["kl", "k1", "abs", "mse", "k2", "low_var_kl", "k3", "full"],
};

/**
 * Judges the overrides themselves, before they stand in their fields: words that verl does not know, and values that
 * win over a field of the form.
 */
export function judgeOverrides(spec: VerlSpec): { id: string; finding: Finding }[] {
  const found: { id: string; finding: Finding }[] = [];
  for (const [key, words] of Object.entries(WORDS)) {
    const override = readOverride(spec, key);
    if (override === undefined || words.includes(String(override.value))) continue;
    found.push({
      id: `word ${key}`,
      finding: fail(
        `verl knows no ${key} ${String(override.value)}`,
        `It takes ${words.join(", ")}, and would say so only when a worker needs it.`,
        { fix: set(override.path, words[0] ?? "") },
      ),
    });
  }
  for (const { field, path, value, fits } of effectiveSpec(spec).shadows) {
    if (found.some(({ finding }) => finding.field === path)) continue;
    found.push({
      id: `shadow ${path}`,
      finding: warn(
        `An override stands in for ${field}`,
        fits
          ? `${path.slice("overrides.".length)}=${JSON.stringify(value)} wins over the form's value.`
          : `${JSON.stringify(value)} is none of the form's values for ${field}; what follows from it is not checked.`,
        { field: path },
      ),
    });
  }
  if (found.length === 0 && Object.keys(spec.overrides).length > 0)
    found.push({
      id: "overrides",
      finding: pass(
        "Overrides",
        `${Object.keys(spec.overrides).length} added to verl's command line.`,
        { field: "overrides" },
      ),
    });
  return found;
}
