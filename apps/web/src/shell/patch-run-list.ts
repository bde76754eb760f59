import type { RunSummary } from "@liverl/contract/run";

/** The list with the newer summary in its place; null when the run is not in it. */
export function patchRunList<List extends { runs: RunSummary[] }>(
  list: List | undefined,
  run: RunSummary,
): List | null {
  if (list === undefined) return null;
  const at = list.runs.findIndex(({ id }) => id === run.id);
  if (at < 0) return null;
  return { ...list, runs: list.runs.with(at, run) };
}
