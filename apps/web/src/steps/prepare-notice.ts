import type { StepView } from "@liverl/contract/views";

export interface StepNotice {
  level: "warn" | "info";
  text: string;
  /** Time of the first rollout without a reward, for the log. */
  at: string | null;
  /** A rollout whose verdict shows it. */
  rolloutId: string | null;
}

/** What a reader must know before trusting the step's numbers; null when all is in. */
export function prepareNotice(step: StepView): StepNotice | null {
  const rows = step.groups.flatMap((group) => group.rollouts);
  if (step.pending > 0) {
    const total = rows.length;
    return {
      level: "info",
      text: `${step.pending} of ${total} rollouts are still running. Numbers cover those that finished.`,
      at: null,
      rolloutId: null,
    };
  }
  const [contradicted] = step.contradicted;
  if (contradicted !== undefined)
    return {
      level: "warn",
      text: `${step.contradicted.length} of ${rows.length} answers earned another reward before, word for word. The tests have changed.`,
      at: null,
      rolloutId: contradicted,
    };
  const missing = rows.filter((row) => row.reward === null);
  if (missing.length === 0) return null;
  const kinds = new Map<string, number>();
  for (const row of missing) {
    const kind = row.error?.exception_type ?? row.termination ?? row.status;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const [worst] = [...kinds].sort((a, b) => b[1] - a[1]);
  const times = missing.flatMap((row) => row.endedAt ?? row.startedAt ?? []).sort();
  return {
    level: "warn",
    text: `${missing.length} of ${rows.length} rollouts have no reward${worst ? ` (${worst[0]})` : ""}. Means leave them out.`,
    at: times[0] ?? null,
    rolloutId: null,
  };
}
