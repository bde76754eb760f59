import { ROLLOUT_FIELDS, type RolloutFieldName } from "@liverl/contract/filter/filter-fields";

/** A column of the table: the field that it shows, filters and sorts by; null where the field is of no use there. */
export interface RolloutColumn {
  label: string;
  field: RolloutFieldName | null;
  isNumber: boolean;
  canSort: boolean;
}

const column = (
  label: string,
  field: RolloutFieldName | null,
  isNumber = true,
  canSort = field !== null,
): RolloutColumn => ({ label, field, isNumber, canSort });

export const ROLLOUT_COLUMNS: readonly RolloutColumn[] = [
  column("Task", "task", false),
  column("Step", "step"),
  column("Rollout", null),
  column("Reward", "reward"),
  column("Advantage", null),
  column("Turns", "turns"),
  column("Sampled", "sampled"),
  column("Total", "tokens"),
  column("Weights", "version"),
  column("Ended", "reason", false),
  column("Flags", "flag", false, false),
  column("Tags", "tag", false, false),
  column("Wall", "wall"),
  column("Started", null),
];

export function fieldNamed(name: RolloutFieldName) {
  return ROLLOUT_FIELDS.find((field) => field.name === name);
}

/** The order after a click on a column: its largest first, then its smallest, then the newest again. */
export function nextSort(sort: string, field: string): string | null {
  if (sort === `-${field}`) return field;
  return sort === field ? null : `-${field}`;
}
