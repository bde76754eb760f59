import type { GroupRow } from "@liverl/contract/views";
import { laneOf } from "#steps/prepare-scatter.ts";

export type GroupOrder = "informative" | "mean" | "task";
export type Cell = "solved" | "part" | "failed" | "no reward" | "pending";
export interface GroupTile {
  groupId: string;
  taskName: string;
  cells: { rolloutId: string; cell: Cell }[];
  mean: number | null;
  solved: GroupRow["solved"];
  /** All rewards that train are equal, and so the group carries no gradient. */
  flat: boolean;
}

export function prepareGroups(groups: readonly GroupRow[], order: GroupOrder): GroupTile[] {
  const tiles = groups.map(
    (group): GroupTile => ({
      groupId: group.groupId,
      taskName: group.taskName,
      cells: [...group.rollouts]
        .sort((a, b) => a.index - b.index)
        .map((row) => ({
          rolloutId: row.rolloutId,
          cell: cellOf(row),
        })),
      mean: group.mean,
      solved: group.solved,
      flat: group.isFlat,
    }),
  );
  return tiles.sort(ORDERS[order]);
}

function cellOf(row: GroupRow["rollouts"][number]): Cell {
  if (row.status === "queued" || row.status === "running") return "pending";
  const lane = laneOf(row);
  return lane === "failed" && (row.reward ?? 0) > 0 ? "part" : lane;
}

const byTask = (a: GroupTile, b: GroupTile) =>
  a.taskName.localeCompare(b.taskName, "en", { numeric: true }) ||
  a.groupId.localeCompare(b.groupId, "en", { numeric: true });

/** Distance of the mean from one half: a group near it has the most to teach. */
const dullness = (tile: GroupTile) =>
  tile.mean === null ? 2 : tile.flat ? 1 + (tile.mean > 0.5 ? 0 : 0.5) : Math.abs(tile.mean - 0.5);

const ORDERS: Record<GroupOrder, (a: GroupTile, b: GroupTile) => number> = {
  informative: (a, b) => dullness(a) - dullness(b) || byTask(a, b),
  mean: (a, b) => (b.mean ?? -1) - (a.mean ?? -1) || byTask(a, b),
  task: byTask,
};

/** "2 none, 3 all": what a step's groups came to. */
export function countGroups(tiles: readonly GroupTile[]): {
  all: number;
  none: number;
  flat: number;
} {
  const flat = tiles.filter((tile) => tile.flat);
  return {
    flat: flat.length,
    all: flat.filter(({ solved }) => solved === "all").length,
    none: flat.filter(({ solved }) => solved === "none").length,
  };
}
