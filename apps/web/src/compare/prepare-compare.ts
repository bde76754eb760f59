import { COMPUTED_KEYS, METRIC_ALIASES } from "@liverl/contract/metric";
import type { PanelSpec } from "#charts/panel-spec.ts";
import { formatOfKey } from "#charts/value-format.ts";
import { joinedKey } from "#compare/joined-store.ts";

/** Colours that lines of one panel can be told apart by. */
const COLORS = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"];
export const MOST_RUNS = COLORS.length;

export interface ComparedRun {
  id: string;
  name: string;
  /** A CSS variable. */
  color: string;
}

/** Each run's own colour where nobody before it has that, else one that is free. */
export function colorRuns(
  runs: readonly { id: string; name: string; color: number }[],
): ComparedRun[] {
  const taken = new Set<string>();
  return runs.map(({ id, name, color: own }) => {
    const wanted = `--c${own}`;
    const color =
      COLORS.includes(wanted) && !taken.has(wanted)
        ? wanted
        : (COLORS.find((one) => !taken.has(one)) ?? "--c1");
    taken.add(color);
    return { id, name, color };
  });
}

const FIRST: readonly string[] = [
  ...METRIC_ALIASES["reward/mean"],
  COMPUTED_KEYS.rewardMean,
  ...METRIC_ALIASES.kl,
  ...METRIC_ALIASES.entropy,
  ...METRIC_ALIASES["rollout_corr/kl"],
  "actor/grad_norm",
  "timing_s/step",
  ...METRIC_ALIASES["mfu/actor"],
  COMPUTED_KEYS.zeroStd,
  ...METRIC_ALIASES["response_length/mean"],
];

/**
 * Keys as they are looked at: those of the overview first, evaluations behind them, the rest by name. `shared` keeps
 * what at least two of the runs log.
 */
export function compareKeys(
  known: ReadonlyMap<string, readonly string[]>,
  { shared, search }: { shared: boolean; search: string },
): string[] {
  const counts = new Map<string, number>();
  for (const keys of known.values())
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const rank = (key: string) => {
    const at = FIRST.indexOf(key);
    if (at !== -1) return at;
    return key.startsWith("val-core/") ? FIRST.length : FIRST.length + 1;
  };
  const wanted = search.trim().toLowerCase();
  return [...counts]
    .filter(([key, count]) => (!shared || count > 1) && key.toLowerCase().includes(wanted))
    .map(([key]) => key)
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/** One metric of all runs that log it. */
export function comparePanel(
  key: string,
  runs: readonly ComparedRun[],
  known: ReadonlyMap<string, readonly string[]>,
): PanelSpec {
  return {
    title: key,
    why: key,
    series: runs
      .filter(({ id }) => known.get(id)?.includes(key))
      .map(({ id, name, color }) => ({ key: joinedKey(id, key), label: name, color })),
    format: formatOfKey(key),
    headKey: null,
  };
}

export interface Difference {
  path: string;
  /** As many as runs; null where a run has no such key. */
  values: (string | null)[];
}

/** Leaves that are not the same in all runs, by path; the name is seen elsewhere. */
export function differences(leaves: readonly ReadonlyMap<string, unknown>[]): Difference[] {
  const paths = [...new Set(leaves.flatMap((map) => [...map.keys()]))]
    .filter((path) => path !== "name")
    .sort();
  return paths.flatMap((path) => {
    const values = leaves.map((map) => (map.has(path) ? inWords(map.get(path)) : null));
    return new Set(values).size > 1 ? [{ path, values }] : [];
  });
}

const inWords = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
