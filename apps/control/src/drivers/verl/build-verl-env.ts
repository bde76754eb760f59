import type { VerlSpec } from "@liverl/contract/verl-launch";

/** Modules that verl imports in each of its processes. */
export const EXTERNAL_MODULES = ["liverl_verl.plugin"] as const;

/** The job's own environment. Values of the spec win but for the two lists, which they extend. Pure. */
export function buildVerlEnv(
  spec: VerlSpec,
  { adapter, metrics }: { adapter: string; metrics: string },
): Record<string, string> {
  const { PYTHONPATH, VERL_USE_EXTERNAL_MODULES, ...own } = spec.env;
  const join = (separator: string, ...parts: (string | null | undefined)[]) =>
    parts.filter(Boolean).join(separator);
  return {
    VERL_FILE_LOGGER_PATH: metrics,
    HYDRA_FULL_ERROR: "1",
    TOKENIZERS_PARALLELISM: "false",
    PYTHONUNBUFFERED: "1",
    // Lines of many workers are the evidence that boot phases and failures are read from.
    RAY_DEDUP_LOGS: "0",
    RAY_USAGE_STATS_ENABLED: "0",
    ...own,
    PYTHONPATH: join(":", spec.verl.path, adapter, PYTHONPATH),
    VERL_USE_EXTERNAL_MODULES: join(",", VERL_USE_EXTERNAL_MODULES, ...EXTERNAL_MODULES),
  };
}
