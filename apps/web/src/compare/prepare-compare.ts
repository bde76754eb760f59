import { COMPUTED_KEYS, evaluationKey, METRIC_ALIASES } from "@liverl/contract/metric";
import type { PanelSpec } from "#charts/panel-spec.ts";
import { formatOfKey } from "#charts/value-format.ts";
import { joinedKey } from "#compare/joined-store.ts";
import { describeMetric } from "#metrics/describe-metric.ts";

/** Colours that lines of one panel can be told apart by. */
const COLORS = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"];
export const MOST_RUNS = COLORS.length;

export interface ComparedRun {
  id: string;
  name: string;
  /** What tells its name from the others', for the end of a line. */
  short: string;
  /** A CSS variable. */
  color: string;
}

/** Each run's own colour where nobody before it has that, else one that is free. */
export function colorRuns(
  runs: readonly { id: string; name: string; color: number }[],
): ComparedRun[] {
  const taken = new Set<string>();
  const shorts = shortNames(runs);
  return runs.map(({ id, name, color: own }, at) => {
    const wanted = `--c${own}`;
    const color =
      COLORS.includes(wanted) && !taken.has(wanted)
        ? wanted
        : (COLORS.find((one) => !taken.has(one)) ?? "--c1");
    taken.add(color);
    return { id, name, short: shorts[at] ?? name, color };
  });
}

/** A label at a line's end has room for so much. */
const SHORT = 12;

/** `07` of `cc-async-07` beside `cc-async-06`: names without the parts that all begin with; ids where names are alike. */
function shortNames(runs: readonly { id: string; name: string }[]): string[] {
  const areAlike = new Set(runs.map(({ name }) => name)).size < runs.length;
  const parts = runs.map(({ id, name }) => (areAlike ? id : name).split("-"));
  let same = 0;
  while (parts.every((one) => one.length > same + 1 && one[same] === parts[0]?.[same])) same += 1;
  return parts.map((one) => {
    const rest = one.slice(same).join("-");
    return rest.length > SHORT ? `…${rest.slice(1 - SHORT)}` : rest;
  });
}

/**
 * Keys of one quantity, best first: a panel shows the first of them that a run logs. The aliases of `kl` and `entropy` are not here,
 * as a run may log two of them and mean two things.
 */
const FAMILIES: readonly (readonly string[])[] = [
  [...METRIC_ALIASES["reward/mean"], COMPUTED_KEYS.rewardMean],
  METRIC_ALIASES["rollout_corr/kl"],
  METRIC_ALIASES["idle_ratio/trainer"],
  METRIC_ALIASES["idle_ratio/rollouter"],
];
const FAMILY_OF = new Map(
  FAMILIES.flatMap((family) => family.map((key) => [key, family] as const)),
);

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

export interface ComparedMetric {
  /** The key, or the best one where runs log the same under several. */
  key: string;
  /** What each run logs it under. */
  keyOf: ReadonlyMap<string, string>;
}

/**
 * Metrics as they are looked at: reward and held-out reward, what else the overview has, other evaluations, the rest by name. `shared` keeps
 * what at least two of the runs log.
 */
export function compareMetrics(
  known: ReadonlyMap<string, readonly string[]>,
  { shared, search }: { shared: boolean; search: string },
): ComparedMetric[] {
  const metrics = new Map<string, Map<string, string>>();
  for (const [run, keys] of known) {
    const logged = new Set(keys);
    for (const key of keys) {
      const family = FAMILY_OF.get(key) ?? [key];
      const keyOf = metrics.get(family[0] ?? key) ?? new Map<string, string>();
      metrics.set(family[0] ?? key, keyOf);
      keyOf.set(run, family.find((one) => logged.has(one)) ?? key);
    }
  }
  const rank = ({ key }: ComparedMetric) => {
    const at = FIRST.indexOf(key);
    if (at !== -1) return at;
    if (key === heldOut) return FIRST.indexOf(COMPUTED_KEYS.rewardMean);
    return key.startsWith("val-core/") ? FIRST.length : FIRST.length + 1;
  };
  const heldOut = evaluationKey(metrics.keys());
  const wanted = search.trim().toLowerCase();
  return [...metrics]
    .filter(([family, keyOf]) => {
      const names = FAMILY_OF.get(family) ?? [family];
      return (
        (!shared || keyOf.size > 1) && names.some((name) => name.toLowerCase().includes(wanted))
      );
    })
    .map(([family, keyOf]) => {
      const names = FAMILY_OF.get(family) ?? [family];
      const used = new Set(keyOf.values());
      return { key: names.find((name) => used.has(name)) ?? family, keyOf };
    })
    .sort((a, b) => rank(a) - rank(b) || a.key.localeCompare(b.key));
}

/** One metric of all runs that log it. */
export function comparePanel(
  { key, keyOf }: ComparedMetric,
  runs: readonly ComparedRun[],
): PanelSpec {
  const format = formatOfKey(key);
  const others = [...new Set(keyOf.values())].filter((one) => one !== key);
  const meaning = describeMetric(key) ?? key;
  return {
    title: key,
    why: others.length === 0 ? meaning : `${meaning}; also logged as ${others.join(", ")}`,
    series: runs.flatMap(({ id, name, short, color }) => {
      const own = keyOf.get(id);
      if (own === undefined) return [];
      return [
        {
          ...{ key: joinedKey(id, own), label: name, end: short, color },
          isHollow: own.startsWith("val-"),
        },
      ];
    }),
    format,
    headKey: null,
    ceiling: format === "percent" ? 1 : undefined,
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
