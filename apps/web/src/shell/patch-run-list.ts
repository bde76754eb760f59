import type { RunSummary } from "@liverl/contract/run";

interface List {
  runs: RunSummary[];
}
/** What caches hold of `run.list`: one answer, or the pages of a table. */
export type KnownRuns = List | { pages: List[]; pageParams: unknown[] };

export function runsOf(known: KnownRuns | undefined): RunSummary[] {
  if (known === undefined) return [];
  return "pages" in known ? known.pages.flatMap(({ runs }) => runs) : known.runs;
}

/** The list with the newer summary in its place; the same list when the run is not in it. */
export function patchRunList(known: KnownRuns | undefined, run: RunSummary): KnownRuns | undefined {
  if (known === undefined) return known;
  if (!("pages" in known)) return patchPage(known, run);
  const pages = known.pages.map((page) => patchPage(page, run));
  return pages.every((page, at) => page === known.pages[at]) ? known : { ...known, pages };
}

function patchPage(page: List, run: RunSummary): List {
  const at = page.runs.findIndex(({ id }) => id === run.id);
  return at < 0 ? page : { ...page, runs: page.runs.with(at, run) };
}
