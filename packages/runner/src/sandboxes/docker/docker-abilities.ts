import type { TaskAbilities } from "#tasks/find-unsupported.ts";

/** What a sandbox of Docker can do with a task. */
export const DOCKER_ABILITIES: TaskAbilities = {
  builds: true,
  compose: false,
  networkModes: ["public", "no-network", "allowlist"],
  allowedHostKinds: ["hostname", "wildcard", "address", "range"],
  networkSwitch: false,
  gpus: 0,
  gpuTypes: [],
  // As in Harbor's own: the number is taken and the daemon's disk is the limit.
  storageLimit: true,
  separateVerifier: true,
  steps: true,
  healthcheck: true,
  mcpTransports: [],
  skills: false,
  collect: true,
  trajectory: false,
};
