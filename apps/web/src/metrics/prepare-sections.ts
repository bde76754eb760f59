export type MetricSection = { prefix: string; keys: string[]; total: number };

/** Sections that answer the first questions stand first; the rest by name. */
const FIRST = [
  "critic",
  "val-core",
  "group",
  "rollout",
  "distribution",
  "trajectory_filter",
  "actor",
  "rollout_corr",
  "training",
  "response_length",
  "timing_s",
  "perf",
  "fully_async",
];

/**
 * Metric keys by their first part, narrowed by a search. The search is a pattern where it is a valid one,
 * else plain text; `total` counts the section without the search.
 */
export function prepareSections(keys: readonly string[], search: string): MetricSection[] {
  const isMatch = matcher(search);
  const sections = new Map<string, MetricSection>();
  for (const key of keys) {
    const prefix = sectionOf(key);
    const section = sections.get(prefix) ?? { prefix, keys: [], total: 0 };
    sections.set(prefix, section);
    section.total += 1;
    if (isMatch(key)) section.keys.push(key);
  }
  const rank = (prefix: string) => {
    const at = FIRST.indexOf(prefix);
    return at < 0 ? FIRST.length : at;
  };
  for (const section of sections.values()) section.keys.sort();
  return [...sections.values()]
    .filter(({ keys: found }) => found.length > 0)
    .sort((a, b) => rank(a.prefix) - rank(b.prefix) || a.prefix.localeCompare(b.prefix));
}

/** The section of a metric is its key's first part. */
export function sectionOf(key: string): string {
  return key.includes("/") ? (key.split("/")[0] ?? key) : "other";
}

function matcher(search: string): (key: string) => boolean {
  const text = search.trim();
  if (text === "") return () => true;
  try {
    const pattern = new RegExp(text, "i");
    return (key) => pattern.test(key);
  } catch {
    // A pattern that is still being typed, such as `kl(`: take it as it stands.
    return (key) => key.toLowerCase().includes(text.toLowerCase());
  }
}
