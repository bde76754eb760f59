import { COMPUTED_KEYS } from "@liverl/contract/metric";
import type { PanelSpec, SeriesSpec } from "#charts/panel-spec.ts";
import { formatOfKey } from "#charts/value-format.ts";
import { describeMetric } from "#metrics/describe-metric.ts";

const CENTRES = ["mean", "avg"];
const QUANTILES = ["p50", "tp50", "p90", "tp90", "p95", "tp95", "p99", "tp99"];
const LINE_COLORS = ["--c2", "--c6", "--c4", "--c7", "--c5"];
const COMPUTED = new Set<string>(Object.values(COMPUTED_KEYS));

/**
 * One panel for each metric. The statistics of one quantity share a panel: its mean as the line, `min` and `max` as
 * the band around it, quantiles as further lines. `color` is the run's own.
 */
export function prepareKeyPanels(keys: readonly string[], color: string): PanelSpec[] {
  const known = new Set(keys);
  const panels: PanelSpec[] = [];
  const taken = new Set<string>();
  for (const key of keys) {
    const family = familyOf(key, known);
    if (family === null) continue;
    panels.push(familyPanel(key, family, color));
    for (const member of [key, ...family.quantiles, ...(family.band ?? [])]) taken.add(member);
  }
  for (const key of keys) if (!taken.has(key)) panels.push(panelOf(key, [lineOf(key, color)]));
  const places = new Map(keys.map((key, at) => [key, at]));
  const place = ({ headKey, title }: PanelSpec) => places.get(headKey ?? title) ?? 0;
  return panels.sort((a, b) => place(a) - place(b));
}

type Family = { band: readonly [low: string, high: string] | null; quantiles: string[] };

/** What belongs to a mean; null where `key` is none or stands alone. */
function familyOf(key: string, known: ReadonlySet<string>): Family | null {
  const cut = key.lastIndexOf("/") + 1;
  if (cut === 0 || !CENTRES.includes(key.slice(cut))) return null;
  const sibling = (leaf: string) => key.slice(0, cut) + leaf;
  const [low, high] = [sibling("min"), sibling("max")];
  const band = known.has(low) && known.has(high) ? ([low, high] as const) : null;
  const quantiles = QUANTILES.map(sibling).filter((name) => known.has(name));
  return band === null && quantiles.length === 0 ? null : { band, quantiles };
}

function familyPanel(key: string, { band, quantiles }: Family, color: string): PanelSpec {
  const others = LINE_COLORS.filter((name) => name !== color);
  const lines = quantiles.map((name, index) =>
    lineOf(name, others[index % others.length] ?? color),
  );
  const panel = panelOf(key, [{ ...lineOf(key, color), band: band ?? undefined }, ...lines]);
  return band === null ? panel : { ...panel, why: `${panel.why}; the band goes from min to max` };
}

function lineOf(key: string, color: string): SeriesSpec {
  const label = key.split("/").at(-1) ?? key;
  return { key, label, color, isHollow: key.startsWith("val-") };
}

function panelOf(key: string, series: SeriesSpec[]): PanelSpec {
  const format = formatOfKey(key);
  return {
    title: key,
    why:
      describeMetric(key) ??
      (COMPUTED.has(key) ? "Computed by LiveRL from the rollouts it ran" : "As logged"),
    series,
    format,
    headKey: key,
    // A share; an axis up to 110 % would be an axis of something else.
    ceiling: format === "percent" ? 1 : undefined,
  };
}
