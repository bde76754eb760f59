/** Where a node does not see the run's folder, verl's file logger writes elsewhere instead of dying. */
const METRICS_PLACE = "liverl_verl.metrics_place";

/** `buildVerlEnv`'s variables for a job of a cluster; an empty PYTHONPATH is left out. Pure. */
export function clusterEnv({
  PYTHONPATH = "",
  VERL_USE_EXTERNAL_MODULES,
  ...env
}: Record<string, string>): Record<string, string> {
  return {
    ...env,
    ...(PYTHONPATH !== "" && { PYTHONPATH }),
    VERL_USE_EXTERNAL_MODULES: [VERL_USE_EXTERNAL_MODULES, METRICS_PLACE].filter(Boolean).join(","),
  };
}
