import type { MetricsView } from "@liverl/contract/metrics-view";
import { type LayoutGroup, PINNED, titleOf } from "#metrics/prepare-layout.ts";
import { sectionOf } from "#metrics/prepare-sections.ts";

export type Move = {
  title: string;
  /** Section that it goes to: its own, or the pinned ones. */
  to: string;
  /** Panel that it comes to stand before; null is the end. */
  before: string | null;
};

/** What a panel's move changes of the view; null where it may not go there. */
export function movePanel(
  groups: readonly LayoutGroup[],
  { pins, order }: Pick<MetricsView, "pins" | "order">,
  { title, to, before }: Move,
): Partial<MetricsView> | null {
  if (title === before) return null;
  if (to === PINNED) return { pins: insert(pins, title, before) };
  const isPinned = pins.includes(title);
  const section = groups.find(({ id }) => id === to);
  // A metric belongs to the section of its prefix.
  if (!isPinned && section?.panels.some((panel) => titleOf(panel) === title) !== true) return null;
  if (isPinned && sectionOf(title) !== to) return null;
  const unpinned = isPinned ? { pins: pins.filter((pin) => pin !== title) } : {};
  const titles = insert(section?.panels.map(titleOf) ?? [], title, before);
  return { ...unpinned, order: reorder(order, titles) };
}

/** The panel one place to the left or right of where it is. */
export function stepPanel(
  groups: readonly LayoutGroup[],
  view: Pick<MetricsView, "pins" | "order">,
  title: string,
  by: 1 | -1,
): Partial<MetricsView> | null {
  const group = groups.find(({ panels }) => panels.some((panel) => titleOf(panel) === title));
  if (group === undefined) return null;
  const titles = group.panels.map(titleOf);
  const at = titles.indexOf(title);
  if (at + by < 0 || at + by >= titles.length) return null;
  const before = titles[by === 1 ? at + 2 : at - 1] ?? null;
  return movePanel(groups, view, { title, to: group.id, before });
}

export function togglePin(pins: readonly string[], title: string): string[] {
  return pins.includes(title) ? pins.filter((pin) => pin !== title) : [...pins, title];
}

function insert(titles: readonly string[], title: string, before: string | null): string[] {
  const others = titles.filter((other) => other !== title);
  const at = before === null ? -1 : others.indexOf(before);
  return at < 0 ? [...others, title] : [...others.slice(0, at), title, ...others.slice(at)];
}

/** `titles` is a section as it shall be. Kept is the shortest begin of it after which the rest stands by name: an address is short. */
function reorder(order: readonly string[], titles: readonly string[]): string[] {
  const isSorted = (from: number) =>
    titles.every((title, at) => at <= from || title >= (titles[at - 1] ?? ""));
  let kept = 0;
  while (kept < titles.length && !isSorted(kept)) kept += 1;
  return [...order.filter((title) => !titles.includes(title)), ...titles.slice(0, kept)];
}
