import type { IntegrityFlag, IntegrityKind } from "@liverl/contract/rollout";
import { boundedEvidence } from "#integrity/bounded-evidence.ts";

/** One flag of each kind, with what all of that kind show: a path that another line has in full is left out. Pure. */
export function mergeFlags(flags: readonly IntegrityFlag[]): IntegrityFlag[] {
  const byKind = new Map<IntegrityKind, string[]>();
  for (const { kind, evidence } of flags)
    byKind.set(kind, [...(byKind.get(kind) ?? []), ...evidence]);
  return [...byKind].map(([kind, evidence]) => ({
    kind,
    evidence: boundedEvidence(
      [...new Set(evidence)].filter((one) => !evidence.some((other) => other.endsWith(`/${one}`))),
    ),
  }));
}
