// Somebody or something reaches into sandboxes from outside while others go on beside them.
import { setTimeout as sleep } from "node:timers/promises";
import { CONFIG, ONLINE } from "../make-tasks.mjs";
import { AGENT_WORKS, playFault, TESTS_RUN, workTask } from "./fault-world.mjs";

const LOST = ["SandboxLostError"];
const PAUSED_MS = 3_000;

const outside = (fault, act, more = {}) => ({
  agents: (world) =>
    playFault(world, {
      fault: `${fault}: agents work`,
      task: (faults) => workTask(faults, "outside-agents", { agentS: 4 }),
      phase: AGENT_WORKS,
      each: act,
      errors: LOST,
      ends: [1],
      ...more,
    }),
  tests: (world) =>
    playFault(world, {
      fault: `${fault}: tests run`,
      task: (faults) => workTask(faults, "outside-tests", { testS: 4 }),
      phase: TESTS_RUN,
      each: act,
      errors: LOST,
      ends: [1],
      ...more,
    }),
});
export const removed = outside("containers are removed from outside", (one) =>
  one.remove({ force: true }),
);
export const killed = outside("containers are killed from outside", (one) => one.kill());
export const restarted = outside("containers are restarted from outside", (one) =>
  one.restart({ t: 0 }),
);
export const paused = outside(
  `containers are paused for ${PAUSED_MS / 1_000} s`,
  async (one) => {
    await one.pause();
    await sleep(PAUSED_MS);
    await one.unpause();
  },
  { errors: [], survives: true },
);

const NETWORK = "liverl-public";
/** Without its network the work fails, or the tests do. */
const reach = "ip route | grep -q ^default";
const networkLost = (during, phase, task) => (world) =>
  playFault(world, {
    fault: `the network of containers is taken away: ${during}`,
    task,
    phase,
    each: (one, { daemon }) =>
      daemon.docker.getNetwork(NETWORK).disconnect({ Container: one.id, Force: true }),
    errors: ["SandboxNetworkLostError"],
    ends: [1],
  });
export const networkLostUnderAgents = networkLost("agents work", AGENT_WORKS, (faults) =>
  workTask(faults, "offline-agents", {
    config: ONLINE,
    solve: `sleep 4; ${reach} && echo repaired > /app/answer; exit 0`,
  }),
);
export const networkLostUnderTests = networkLost("tests run", TESTS_RUN, (faults) =>
  workTask(faults, "offline-tests", {
    config: ONLINE,
    test: `echo 0 > /logs/verifier/reward.txt; sleep 4; ${reach} && echo 1 > /logs/verifier/reward.txt; exit 0`,
  }),
);

/** A verifier's fault may be what is tested, so it is no reward and no second chance. */
const verifierFails =
  (fault, task, error, more = {}) =>
  (world) =>
    playFault(world, { fault, task, errors: [error], ends: [null], ...more });
export const testsKilled = verifierFails(
  "test.sh is killed from outside",
  (faults) => workTask(faults, "killed-tests", { testS: 4 }),
  "VerifierKilledError",
  {
    phase: TESTS_RUN,
    each: async (_, { pids }) => {
      for (const pid of pids) process.kill(pid, "SIGKILL");
    },
  },
);
const little = CONFIG.replace("memory_mb = 1024", "memory_mb = 32");
export const memoryOut = verifierFails(
  "memory runs out in the tests: a process of test.sh is killed, and it goes on",
  (faults) =>
    workTask(faults, "memory-out", {
      config: little,
      test: "tail /dev/zero; echo 0 > /logs/verifier/reward.txt",
    }),
  "VerifierOutOfMemoryError",
);
export const memoryOutOfScript = verifierFails(
  "memory runs out in the tests: test.sh itself is killed",
  (faults) =>
    workTask(faults, "memory-out-whole", {
      config: little,
      test: "echo 0 > /logs/verifier/reward.txt; exec tail /dev/zero",
    }),
  "VerifierOutOfMemoryError",
);
export const testsLate = verifierFails(
  "the verifier is late",
  (faults) =>
    workTask(faults, "late-tests", {
      config: CONFIG.replace("timeout_sec = 120", "timeout_sec = 2"),
      testS: 60,
    }),
  "VerifierTimeoutError",
);
