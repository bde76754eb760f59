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
const SHORT = 14;
/** After each of these a part of a name ends. */
const PART_END = /(?<=[-_/: ])/;

/**
 * `07` of `cc-async-07` beside `cc-async-06`: names without the parts that all begin or end with, and where that is still long without
 * its middle; ids where names are alike. No two are the same.
 */
export function shortNames(runs: readonly { id: string; name: string }[]): string[] {
  const areAlike = new Set(runs.map(({ name }) => name)).size < runs.length;
  const whole = runs.map(({ id, name }) => (areAlike ? id : name).split(PART_END));
  const ends = withoutCommonBegin(whole).map((one) => one.toReversed());
  const rests = withoutCommonBegin(ends).map((one) =>
    one
      .toReversed()
      .join("")
      .replace(/[-_/: ]$/, ""),
  );
  const cut = (rest: string) =>
    rest.length > SHORT ? `${rest.slice(0, SHORT / 2)}…${rest.slice(1 - SHORT / 2)}` : rest;
  const short = rests.map(cut);
  if (new Set(short).size === short.length && !short.includes("")) return short;
  return rests.map((rest, at) => `${at + 1} ${rest.slice(0, SHORT - 2)}`.trim());
}

/** Of each at least one part is left. */
function withoutCommonBegin(lists: readonly string[][]): string[][] {
  let same = 0;
  while (lists.every((one) => one.length > same + 1 && one[same] === lists[0]?.[same])) same += 1;
  return lists.map((one) => one.slice(same));
}

/**
 * Keys of one quantity, best first: a panel shows the first of them that a run logs. What a run logs besides has a panel of its own,
 * as it may mean another thing: a score before and a reward after the penalty. The aliases of `kl` and `entropy` are not here at all.
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
      const isBest = family.find((one) => logged.has(one)) === key;
      // LiveRL computes it where no trainer says it.
      if (!isBest && key === COMPUTED_KEYS.rewardMean) continue;
      const metric = isBest ? (family[0] ?? key) : key;
      const keyOf = metrics.get(metric) ?? new Map<string, string>();
      metrics.set(metric, keyOf);
      keyOf.set(run, key);
    }
  }
  const heldOut = evaluationKey(metrics.keys());
  const rank = (metric: string) => {
    const [lead = metric] = FAMILY_OF.get(metric) ?? [];
    const at = lead === metric ? FIRST.indexOf(metric) : -1;
    if (at !== -1) return at;
    if (metric === heldOut) return FIRST.indexOf(COMPUTED_KEYS.rewardMean);
    return metric.startsWith("val-core/") ? FIRST.length : FIRST.length + 1;
  };
  const wanted = search.trim().toLowerCase();
  return [...metrics]
    .sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([metric, keyOf]) => {
      const used = [...new Set(keyOf.values())];
      const [key = metric] = (FAMILY_OF.get(metric) ?? []).filter((one) => used.includes(one));
      return { key, keyOf, used };
    })
    .filter(
      ({ keyOf, used }) =>
        (!shared || keyOf.size > 1) && used.some((name) => name.toLowerCase().includes(wanted)),
    )
    .map(({ key, keyOf }) => ({ key, keyOf }));
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
