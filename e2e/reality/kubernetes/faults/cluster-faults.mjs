// The cluster itself fails: its API server, the way to it, a node's own programs, its room for pods.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CONFIG } from "../../docker/make-tasks.mjs";
import { AGENT_WORKS, PODS_START, playFault, TESTS_RUN, workTask } from "./play-fault.mjs";

const AWAY_MS = 3_000;
const FROZEN_MS = 6_000;
/** By what is left of a connection that broke, and by what the cluster says of the pod. */
const CUT = ["SandboxUnavailableError", "SandboxError", "SandboxLostError"];

async function startApiServerAgain({ cluster }) {
  cluster.killApiServer();
  await sleep(AWAY_MS);
  cluster.bringUp();
}

const apiServerKilled = (during, when) =>
  playFault({
    fault: `the API server is killed with -9 and started again: ${during}`,
    strike: startApiServerAgain,
    errors: CUT,
    survives: true,
    ends: 1,
    ...when,
  });
export const apiServerKilledAtStart = apiServerKilled("pods start", {
  task: workTask("api-start", { agentS: 1 }),
  phase: PODS_START,
});
export const apiServerKilledUnderAgents = apiServerKilled("agents work", {
  task: workTask("api-agents", { agentS: 8 }),
  phase: AGENT_WORKS,
});
export const apiServerKilledUnderTests = apiServerKilled("tests run", {
  task: workTask("api-tests", { testS: 8 }),
  phase: TESTS_RUN,
});

export const apiServerFrozen = playFault({
  fault: `the API server does not answer for ${FROZEN_MS / 1_000} s: tests run`,
  task: workTask("api-frozen", { testS: 8 }),
  phase: TESTS_RUN,
  strike: async ({ cluster }) => {
    cluster.signal("kube-apiserver", "SIGSTOP");
    await sleep(FROZEN_MS);
    cluster.signal("kube-apiserver", "SIGCONT");
  },
  errors: [],
  survives: true,
  ends: 1,
});

export const connectionsCut = playFault({
  fault: "every connection to the API server is cut: tests run",
  task: workTask("cut", { testS: 8 }),
  phase: TESTS_RUN,
  strike: ({ gate }) => gate.cut(),
  errors: CUT,
  ends: 1,
});

export const connectionsSilent = playFault({
  fault: "the connections to the API server say nothing more and are not closed: tests run",
  task: workTask("silent", { testS: 8 }),
  phase: TESTS_RUN,
  strike: ({ gate }) => gate.hush(),
  errors: ["SandboxUnavailableError"],
  ends: 1,
});

const partKilled = (part, during, when) =>
  playFault({
    fault: `the node's ${part} is killed with -9 and started again: ${during}`,
    strike: async ({ cluster }) => {
      cluster.signal(part, "SIGKILL");
      await sleep(AWAY_MS);
      cluster.bringUp();
    },
    errors: CUT,
    survives: true,
    ends: 1,
    ...when,
  });
export const kubeletKilled = partKilled("kubelet", "agents work", {
  task: workTask("kubelet", { agentS: 8 }),
  phase: AGENT_WORKS,
});
export const containerdKilled = partKilled("containerd", "tests run", {
  task: workTask("containerd", { testS: 8 }),
  phase: TESTS_RUN,
});

const NONE = "none";
export const quotaGone = playFault({
  fault: "the namespace has no quota left: pods start",
  task: workTask("quota"),
  strike: async ({ cluster, namespace }) => {
    const body = { metadata: { name: NONE }, spec: { hard: { pods: "0" } } };
    await cluster.core.createNamespacedResourceQuota({ namespace, body });
    await sleep(AWAY_MS);
  },
  mend: async ({ cluster, namespace }) => {
    await cluster.core.deleteNamespacedResourceQuota({ namespace, name: NONE });
    await sleep(AWAY_MS);
  },
  errors: ["SandboxQuotaError"],
  says: /exceeded quota/,
  ends: null,
});

const missing = workTask("missing");
export const imageMissing = playFault({
  fault: "the image is not there: pods start",
  task: (world) => {
    const folder = missing(world);
    const config = CONFIG.replace(
      "[environment]",
      '[environment]\ndocker_image = "here/nowhere:1"',
    );
    writeFileSync(join(folder, "task.toml"), config);
    return folder;
  },
  errors: ["SandboxBuildFailedError"],
  says: /here\/nowhere:1/,
  ends: null,
});
