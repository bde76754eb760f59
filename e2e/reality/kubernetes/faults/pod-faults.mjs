// Somebody or something reaches into pods from outside; and tests that end before they have said what they found.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { CONFIG } from "../../docker/make-tasks.mjs";
import { demand } from "../../docker/rollouts.mjs";
import { AGENT_WORKS, playFault, podsOfRun, TESTS_RUN, workTask } from "./play-fault.mjs";

const LOST = ["SandboxLostError"];
const eachPod = (act) => async (world) =>
  await Promise.all((await podsOfRun(world, world.runId)).map((pod) => act(world, pod)));

const outside = (fault, name, { act, ...more }) => ({
  agents: playFault({
    fault: `${fault}: agents work`,
    task: workTask(`${name}-agents`, { agentS: 8 }),
    phase: AGENT_WORKS,
    strike: eachPod(act),
    errors: LOST,
    ends: 1,
    ...more,
  }),
  tests: playFault({
    fault: `${fault}: tests run`,
    task: workTask(`${name}-tests`, { testS: 8 }),
    phase: TESTS_RUN,
    strike: eachPod(act),
    errors: LOST,
    ends: 1,
    ...more,
  }),
});

export const deleted = outside("pods are deleted from outside", "deleted", {
  act: ({ cluster, namespace }, { metadata: { name } }) =>
    cluster.core.deleteNamespacedPod({ namespace, name, gracePeriodSeconds: 0 }),
});

/** As a drained node does it. */
export const drained = outside("pods are evicted by the API, as from a drained node", "drained", {
  act: ({ cluster, namespace }, { metadata: { name } }) =>
    cluster.core.createNamespacedPodEviction({
      namespace,
      name,
      body: { metadata: { name, namespace } },
    }),
  errors: ["SandboxLostError", "SandboxEvictedError"],
});

/** With containerd's own client: the kubelet learns of it as of one that a process in it brought about, so nobody is tried again. */
const TAKEN_FOR_OWN = { errors: ["SandboxEndedByAgentError", "SandboxEndedError"], ends: null };
const killContainer =
  (container) =>
  ({ cluster }, { status }) => {
    const { containerID } = status.containerStatuses.find(({ name }) => name === container);
    const id = containerID.replace("containerd://", "");
    const socket = join(cluster.folder, "node/containerd.sock");
    const { status: code, stderr } = spawnSync(
      "ctr",
      ["--address", socket, "-n", "k8s.io", "tasks", "kill", "-s", "KILL", id],
      { encoding: "utf8" },
    );
    demand(code === 0, `ctr: ${stderr}`);
  };
export const mainKilled = outside("the containers of tasks are killed from outside", "main", {
  act: killContainer("main"),
  ...TAKEN_FOR_OWN,
});
export const keeperKilled = outside("the keepers of pods are killed from outside", "keeper", {
  act: killContainer("keeper"),
  ...TAKEN_FOR_OWN,
});

const FILL = "dd if=/dev/zero of=/app/much bs=1M count=400; sleep 100";
const evicted = (during, task) =>
  playFault({
    fault: `the kubelet evicts pods that write more than they may: ${during}`,
    task,
    errors: ["SandboxStorageExceededError", "SandboxEndedByAgentError"],
    says: /exceeded its local ephemeral storage/,
    ends: null,
  });
export const evictedUnderAgents = evicted(
  "agents work",
  workTask("evicted-agents", { solve: FILL }),
);
export const evictedUnderTests = evicted(
  "tests run",
  workTask("evicted-tests", { test: `echo 0 > /logs/verifier/reward.txt; ${FILL}` }),
);

/** A verifier's fault may be what is tested, so it is no reward and no second chance. */
const verifierFails = (fault, error, task, more = {}) =>
  playFault({ fault, task, errors: [error], ends: null, ...more });
const little = CONFIG.replace("memory_mb = 1024", "memory_mb = 64");
export const memoryOut = verifierFails(
  "memory runs out in the tests: a process of test.sh is killed, and it goes on",
  "VerifierOutOfMemoryError",
  workTask("memory-out", {
    config: little,
    test: "tail /dev/zero; echo 0 > /logs/verifier/reward.txt",
  }),
);
export const memoryOutOfScript = verifierFails(
  "memory runs out in the tests: test.sh itself is killed",
  "VerifierOutOfMemoryError",
  workTask("memory-out-whole", {
    config: little,
    test: "echo 0 > /logs/verifier/reward.txt; exec tail /dev/zero",
  }),
);
export const testsKilled = verifierFails(
  "test.sh is killed from outside",
  "VerifierKilledError",
  workTask("killed-tests", { testS: 20 }),
  {
    phase: TESTS_RUN,
    strike: eachPod(({ kubectl }, { metadata: { name } }) =>
      kubectl("exec", name, "-c", "keeper", "--", "busybox", "killall", "-9", "test.sh"),
    ),
  },
);
export const testsLate = verifierFails(
  "the verifier is late",
  "VerifierTimeoutError",
  workTask("late-tests", {
    config: CONFIG.replace("timeout_sec = 120", "timeout_sec = 2"),
    testS: 60,
  }),
);
