import type { LayoutGroup } from "#metrics/prepare-layout.ts";

/** `3 panels · 12 metrics, 1 panel pinned`: panels are what the side counts too, and several metrics may share one. */
export function countWords({
  panels,
  found,
  total,
  pinned,
}: Pick<LayoutGroup, "found" | "total" | "pinned"> & { panels: readonly unknown[] }): string {
  const shown = countPanels(panels.length);
  // A section of a panel for each metric needs no second number.
  const isOneEach = found === total && found === panels.length + pinned;
  const metrics = found === total ? `${total}` : `${found} of ${total}`;
  const all = isOneEach ? shown : `${shown} · ${metrics} ${total === 1 ? "metric" : "metrics"}`;
  return pinned > 0 ? `${all}, ${countPanels(pinned)} pinned` : all;
}

export const countPanels = (count: number) => (count === 1 ? "1 panel" : `${count} panels`);
