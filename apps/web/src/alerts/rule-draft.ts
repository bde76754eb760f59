import {
  type AlertCondition,
  type AlertLevel,
  type AlertRuleView,
  SaveRule,
} from "@liverl/contract/alert";

export type RuleKind = AlertCondition["kind"];

/** What is typed into the form, of every kind at once, so that a change of kind loses nothing. */
export interface RuleDraft {
  name: string;
  level: AlertLevel;
  runs: string;
  kind: RuleKind;
  metric: string;
  side: "above" | "below";
  value: number | string;
  direction: "rises" | "falls" | "moves";
  percent: number | string;
  steps: number | string;
  z: number | string;
  window: number | string;
  statuses: string[];
  words: string[];
  signs: string[];
}

export const EMPTY_DRAFT: RuleDraft = {
  ...{ name: "", level: "warn", runs: "", kind: "sign", metric: "", side: "above", value: "" },
  ...{ direction: "falls", percent: 20, steps: 1, z: 6, window: 50 },
  ...{ statuses: ["failed"], words: ["Down", "Stalled"], signs: [] },
};

/** A rule, or a preset, as the form shows it. */
export function draftOf(
  rule: Pick<AlertRuleView, "name" | "level" | "condition"> & { runs?: string },
): RuleDraft {
  const { condition, name, level, runs = "" } = rule;
  return { ...EMPTY_DRAFT, name, level, runs, ...condition };
}

/** What the server is sent, or the faults by field, in the contract's words. */
export function readDraft(
  draft: RuleDraft,
  { project, id, enabled }: { project: string; id?: string | undefined; enabled: boolean },
):
  | { rule: SaveRule; faults: null }
  | { rule: null; faults: Partial<Record<keyof RuleDraft, string>> } {
  const { name, level, runs, kind, ...fields } = draft;
  const read = SaveRule.safeParse({
    ...{ project, id, enabled, name, level, runs },
    condition: { kind, ...fields },
  });
  if (read.success) return { rule: read.data, faults: null };
  const faults: Partial<Record<keyof RuleDraft, string>> = {};
  for (const { path, message } of read.error.issues) {
    const field = (path[0] === "condition" ? path[1] : path[0]) as keyof RuleDraft;
    faults[field] ??= message;
  }
  return { rule: null, faults };
}
