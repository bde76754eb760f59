import { keysOfPanel, type PanelSpec } from "#charts/panel-spec.ts";
import { prepareKeyPanels } from "#metrics/prepare-key-panels.ts";
import { type OverviewColumn, prepareOverviewPanels } from "#overview/prepare-overview-panels.ts";

/** Panels of the four questions from which on a run needs none of its own choice. */
const ENOUGH = 4;
const MOST_OF_ITS_OWN = 8;
/** What people look at first, whatever the trainer calls it. */
const FIRST = [
  /reward|return|score/i,
  /acc|solve|pass/i,
  /loss/i,
  /entropy/i,
  /kl/i,
  /grad/i,
  /lr/i,
];

/** Of a run that somebody else's trainer logs: no panel waits for a key that never comes, and what no question asks for is shown all the same. */
export function prepareAttachedPanels(
  known: ReadonlySet<string>,
  color: string,
): { columns: OverviewColumn[]; own: PanelSpec[] } {
  const columns = prepareOverviewPanels(known, color)
    .map((column) => ({
      ...column,
      panels: column.panels
        .map((panel) => ({ ...panel, series: panel.series.filter(({ key }) => known.has(key)) }))
        .filter(({ series }) => series.length > 0),
    }))
    .filter(({ panels }) => panels.length > 0);
  const shown = new Set(columns.flatMap(({ panels }) => panels.flatMap(keysOfPanel)));
  if (columns.flatMap(({ panels }) => panels).length >= ENOUGH) return { columns, own: [] };
  const rank = (key: string) => {
    const at = FIRST.findIndex((pattern) => pattern.test(key));
    return at === -1 ? FIRST.length : at;
  };
  const rest = [...known]
    .filter((key) => !shown.has(key) && !key.startsWith("system/"))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  return { columns, own: prepareKeyPanels(rest, color).slice(0, MOST_OF_ITS_OWN) };
}
