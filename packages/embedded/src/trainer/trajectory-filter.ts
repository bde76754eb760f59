import type { EmbeddedSpec } from "@liverl/contract/launch";
import type { RolloutResult } from "@liverl/contract/rollout";

/**
 * Whether a run's trajectory filter keeps a rollout out of the update: by how it ended, or by a sign that its reward was not
 * earned (`integrity` for any, `integrity-KIND` for one). Words may be written with `-` or `_`.
 */
export function isFilteredOut(
  { termination, flags }: Pick<RolloutResult, "termination" | "flags">,
  { enable, drop_reasons }: EmbeddedSpec["trajectory_filter"],
): boolean {
  if (!enable) return false;
  const named = new Set(drop_reasons.map((reason) => reason.replaceAll("_", "-")));
  return (
    named.has(termination) ||
    (named.has("integrity") && flags.length > 0) ||
    flags.some(({ kind }) => named.has(`integrity-${kind}`))
  );
}
