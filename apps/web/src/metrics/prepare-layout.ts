import type { Quantity } from "@liverl/contract/distribution";
import type { DistributionSpec } from "#charts/distribution-panel.tsx";
import type { PanelSpec } from "#charts/panel-spec.ts";
import type { ValueFormat } from "#charts/value-format.ts";
import { prepareKeyPanels } from "#metrics/prepare-key-panels.ts";
import { prepareSections } from "#metrics/prepare-sections.ts";

export type LayoutPanel =
  | { kind: "metric"; panel: PanelSpec }
  | { kind: "distribution"; panel: DistributionSpec };
export type LayoutGroup = {
  id: string;
  panels: LayoutPanel[];
  /** Metrics of the section that the search leaves, and all of them. */
  found: number;
  total: number;
  /** Panels of it that stand among the pinned ones. */
  pinned: number;
};

export const PINNED = "Pinned";
const PREFIX = "distribution/";
const DISTRIBUTIONS: Record<Quantity, { why: string; format: ValueFormat }> = {
  reward: { why: "Rewards of the step's rollouts", format: "auto" },
  response_length: { why: "Sampled tokens of each rollout", format: "count" },
  turns: { why: "Sampled turns of each rollout", format: "auto" },
  version_span: { why: "Newest minus oldest policy version of a rollout", format: "auto" },
  agent_s: { why: "Seconds that the agent worked", format: "duration" },
  verify_s: { why: "Seconds to verify", format: "duration" },
};

export type LayoutWish = {
  keys: readonly string[];
  /** Of the rollouts; null where none are known of the run. */
  rollouts: { runId: string; quantities: readonly Quantity[] } | null;
  color: string;
  search: string;
  pins: readonly string[];
  order: readonly string[];
};

export function titleOf({ panel }: LayoutPanel): string {
  return panel.title;
}

/**
 * Panels of the page by sections: those that are pinned first, in their own order and nowhere else; in each section those that were
 * moved to its begin, then the rest by name.
 */
export function prepareLayout(wish: LayoutWish): LayoutGroup[] {
  const logged = new Set(wish.keys);
  const spreads = new Map<string, Quantity>(
    (wish.rollouts?.quantities ?? [])
      .map((quantity) => [`${PREFIX}${quantity}`, quantity] as const)
      .filter(([name]) => !logged.has(name)),
  );
  const names = [...wish.keys, ...spreads.keys()];
  const pinned = new Map(wish.pins.map((title, at) => [title, at]));
  const first: LayoutPanel[] = [];
  const sections = prepareSections(names, wish.search).map(({ prefix, keys, total }) => {
    const panels = prepareKeyPanels(
      keys.filter((key) => !spreads.has(key)),
      wish.color,
    ).map((panel): LayoutPanel => ({ kind: "metric", panel }));
    for (const key of keys) {
      const quantity = spreads.get(key);
      if (quantity !== undefined) panels.push(distribution(key, quantity, wish));
    }
    for (const panel of panels) if (pinned.has(titleOf(panel))) first.push(panel);
    const rest = panels.filter((panel) => !pinned.has(titleOf(panel)));
    return {
      id: prefix,
      panels: inOrder(rest, wish.order),
      ...{ found: keys.length, total, pinned: panels.length - rest.length },
    };
  });
  first.sort((a, b) => (pinned.get(titleOf(a)) ?? 0) - (pinned.get(titleOf(b)) ?? 0));
  const top = { id: PINNED, panels: first, found: first.length, total: first.length, pinned: 0 };
  return [top, ...sections].filter(({ panels }) => panels.length > 0);
}

function distribution(title: string, quantity: Quantity, wish: LayoutWish): LayoutPanel {
  const { runId = "" } = wish.rollouts ?? {};
  return {
    kind: "distribution",
    panel: { title, runId, quantity, color: wish.color, ...DISTRIBUTIONS[quantity] },
  };
}

function inOrder(panels: readonly LayoutPanel[], order: readonly string[]): LayoutPanel[] {
  const place = new Map(order.map((title, at) => [title, at]));
  const rank = (panel: LayoutPanel) => place.get(titleOf(panel)) ?? order.length;
  return [...panels].sort((a, b) => rank(a) - rank(b));
}
