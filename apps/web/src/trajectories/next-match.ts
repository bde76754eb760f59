import type { TurnMatch } from "@liverl/contract/turn-view";

/** The match after or before the current turn, around the ends; a path's node ids ascend. */
export function nextMatch(
  matches: readonly Pick<TurnMatch, "nodeId">[],
  current: number | null,
  by: 1 | -1,
): number | null {
  const ids = matches.map(({ nodeId }) => nodeId);
  const found =
    by === 1
      ? ids.find((id) => current === null || id > current)
      : ids.findLast((id) => current === null || id < current);
  return found ?? (by === 1 ? ids[0] : ids.at(-1)) ?? null;
}
