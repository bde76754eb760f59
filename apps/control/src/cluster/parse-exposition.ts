export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /[\s,]*([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/gy;
const ESCAPES: Record<string, string> = { "\\n": "\n", '\\"': '"', "\\\\": "\\" };

/** Samples of Prometheus' text format (prometheus.io, "Exposition formats", version 0.0.4); what is not one is left. Pure. */
export function parseExposition(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", raw] = LINE.exec(line) ?? [];
    if (name === undefined || raw === undefined) return [];
    const value = Number(raw);
    // NaN and infinities, as edges of buckets, are nobody's sum.
    if (!Number.isFinite(value)) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, key = "", text = ""]) => [
      key,
      text.replace(/\\[n"\\]/g, (mark) => ESCAPES[mark] ?? mark),
    ]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value }];
  });
}

const OLD_NAMES: Record<string, string> = {
  gpu_cache_usage_perc: "kv_cache_usage_perc",
  gpu_prefix_cache_queries: "prefix_cache_queries",
  gpu_prefix_cache_hits: "prefix_cache_hits",
};

/** vLLM's own name of a series, whoever exposes it: Ray writes `ray_vllm_`, vLLM `vllm:`, counters end in `_total`. Pure. */
export function vllmName(name: string): string | null {
  const bare = /^(?:ray_)?vllm[:_](.+?)(?:_total)?$/.exec(name)?.[1];
  return bare === undefined ? null : (OLD_NAMES[bare] ?? bare);
}
