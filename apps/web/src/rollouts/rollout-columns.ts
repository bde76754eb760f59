import { ROLLOUT_FIELDS, type RolloutFieldName } from "@liverl/contract/filter/filter-fields";
import type { RolloutRow } from "@liverl/contract/views";

/** A column of the table: the field that it shows, filters and sorts by; null where the field is of no use there. */
export interface RolloutColumn {
  label: string;
  field: RolloutFieldName | null;
  isNumber: boolean;
  canSort: boolean;
  /** Pixels, at least. */
  width: number;
  /** Its share of what the window has beyond that. */
  grows: number;
  /** Whether a row has anything to show in it; left out: always. */
  has?: (row: RolloutRow) => boolean;
}

const column = (
  label: string,
  field: RolloutFieldName | null,
  width: number,
  rest: Partial<RolloutColumn> = {},
): RolloutColumn => ({
  ...{ label, field, width },
  ...{ isNumber: true, canSort: field !== null, grows: 0, ...rest },
});
/** Of rollouts that have not ended. */
export const isLive = ({ status }: RolloutRow) => status === "queued" || status === "running";
const WORDS = { isNumber: false, grows: 1 };
const LIST = { ...WORDS, canSort: false };

export const ROLLOUT_COLUMNS: readonly RolloutColumn[] = [
  column("Task", "task", 156, { ...WORDS, grows: 1.4 }),
  column("Step", "step", 66),
  column("Rollout", null, 50),
  column("Reward", "reward", 76),
  column("Advantage", null, 70),
  column("Turns", "turns", 64),
  column("Sampled", "sampled", 78),
  column("Total", "tokens", 64),
  column("Weights", "version", 76),
  column("Ended", "reason", 118, { ...WORDS, has: (row) => !isLive(row) }),
  column("Stage", "stage", 156, { ...WORDS, has: isLive }),
  column("Idle", "idle", 64, { has: isLive }),
  column("Flags", "flag", 96, { ...LIST, has: ({ integrityKinds }) => integrityKinds.length > 0 }),
  column("Tags", "tag", 94, {
    ...LIST,
    has: ({ tags, note }) => tags.length > 0 || note !== null,
  }),
  column("Wall", "wall", 64),
  column("Started", null, 60),
];

/** Without those that no row fills: what is empty all the way down costs the room of what is not. Pure. */
export function columnsOf(rows: readonly RolloutRow[]): RolloutColumn[] {
  return ROLLOUT_COLUMNS.filter(({ has }) => has === undefined || rows.some(has));
}

const BOX_PX = 16;
const GAP_PX = 10;
const EDGE_PX = 14;

/** The tracks of a row, its box first, and the width below which the table scrolls. Pure. */
export function tracksOf(columns: readonly RolloutColumn[]): { template: string; minPx: number } {
  const tracks = columns.map(({ width, grows }) =>
    grows > 0 ? `minmax(${width}px, ${grows}fr)` : `${width}px`,
  );
  const widths = columns.reduce((sum, { width }) => sum + GAP_PX + width, BOX_PX);
  return { template: [`${BOX_PX}px`, ...tracks].join(" "), minPx: widths + 2 * EDGE_PX };
}

export function fieldNamed(name: RolloutFieldName) {
  return ROLLOUT_FIELDS.find((field) => field.name === name);
}

/** The order after a click on a column: its largest first, then its smallest, then the newest again. */
export function nextSort(sort: string, field: string): string | null {
  if (sort === `-${field}`) return field;
  return sort === field ? null : `-${field}`;
}
