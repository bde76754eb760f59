import type { Advisory, BootPhase } from "@liverl/contract/run";
import type { z } from "zod";

type Phase = z.infer<typeof BootPhase>;

/** How long a phase of verl's start may take, in seconds, and what is the matter when it takes longer. */
const LIMITS: Record<string, { s: number; cause: string }> = {
  preflight: {
    s: 120,
    cause:
      "The trial runner does not take the run: it is down or restarting, and its log says why. Or the disk of the run's folder hangs.",
  },
  venv: {
    s: 3_600,
    cause: "The package index is slow or away; the log of the Python environment has pip's words.",
  },
  ray: {
    s: 180,
    cause: "Ray does not come up: its port is taken, or the cluster does not answer.",
  },
  placement: {
    s: 600,
    cause:
      "Ray has no room for the placement group: another job holds the GPUs, or fewer are there than the layout asks for.",
  },
  model: {
    s: 1_800,
    cause: "The weights load slowly: a network folder, or a model that does not fit in memory.",
  },
  // A 30B mixture of experts at TP 4 takes 10 to 20 minutes.
  graphs: {
    s: 1_800,
    cause:
      "CUDA graph capture hangs: try rollout.enforce_eager, or look for an error of vLLM above it.",
  },
  engines: {
    s: 1_800,
    cause: "vLLM did not register in 30 minutes: it failed while it began, and its log says why.",
  },
  proxy: {
    s: 180,
    cause:
      "No worker of verl reached the proxy: its address is not reachable from there, or the agent loop was not loaded.",
  },
  rollouts: {
    s: 1_200,
    cause:
      "The engines wait for agents: sandboxes do not start, or agents do not reach the proxy. GPU memory is full and their use is 0.",
  },
  update: {
    s: 7_200,
    cause: "Not one batch is full: rollouts fail or take very long; their list shows which.",
  },
};

/** Names the phase of a start that takes longer than it ever should, with the likely cause. Null while all is well. */
export function judgeBoot(phases: readonly Phase[], nowMs: number): Advisory | null {
  const phase = phases.find(({ status }) => status === "now");
  if (!phase?.startedAt) return null;
  const limit = LIMITS[phase.id];
  const s = (nowMs - Date.parse(phase.startedAt)) / 1_000;
  // What earlier runs of this installation took counts more than a rule of thumb.
  const most = Math.max(limit?.s ?? Number.POSITIVE_INFINITY, 3 * (phase.typicalS?.[1] ?? 0));
  if (!limit || s < most) return null;
  return {
    id: "boot-stall",
    level: "bad",
    title: `${phase.label} takes long`,
    detail: `${Math.round(s / 60)} minutes, and ${Math.round(most / 60)} is the most that is normal. ${limit.cause}`,
    tier: "alarm",
    sinceStep: null,
    untilStep: null,
    metricKey: null,
    links: [{ label: "Log", href: "logs" }],
  };
}
