import { COMPUTED_KEYS, ERROR_PREFIX, INTEGRITY_PREFIX } from "@liverl/contract/metric";

/** Harbor's classes of what goes wrong while a rollout is judged. */
const OF_VERIFIER = /^(Verifier|RewardFile|DownloadVerifier)/;

/** What went wrong in a step's rollouts, by name. Kinds that the step lacks have no value. Pure. */
export function failureSeries(
  rows: readonly { error_type: string | null; integrity_kinds: readonly string[] }[],
): Record<string, number> {
  const share = (test: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(test).length / rows.length;
  return {
    [COMPUTED_KEYS.verifierErrors]: share(({ error_type }) => OF_VERIFIER.test(error_type ?? "")),
    [COMPUTED_KEYS.integrity]: share(({ integrity_kinds }) => integrity_kinds.length > 0),
    ...counts(
      ERROR_PREFIX,
      rows.flatMap(({ error_type }) => error_type ?? []),
    ),
    ...counts(
      INTEGRITY_PREFIX,
      rows.flatMap(({ integrity_kinds }) => integrity_kinds),
    ),
  };
}

function counts(prefix: string, names: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of names) found[prefix + name] = (found[prefix + name] ?? 0) + 1;
  return found;
}
