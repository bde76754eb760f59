// Docker itself fails: it is killed, hangs, goes for good, has no room, or lacks what it had.
import { setTimeout as sleep } from "node:timers/promises";
import { AGENT_WORKS, playFault, TESTS_RUN, workTask } from "./fault-world.mjs";

const AWAY_MS = 2_000;
const FROZEN_MS = 5_000;
const LOST = ["SandboxUnavailableError", "SandboxLostError"];

async function startAgain({ daemon }) {
  await daemon.kill();
  await sleep(AWAY_MS);
  await daemon.start();
}

const killed = (during, when) => (world) =>
  playFault(world, {
    fault: `the Docker daemon is killed and started again: ${during}`,
    strike: startAgain,
    errors: LOST,
    ends: [1],
    isLonely: true,
    ...when,
  });
export const killedAtStart = killed("trials start", {
  task: (faults) => workTask(faults, "killed-at-start", { agentS: 8 }),
  words: "The sandbox is made",
  // A sandbox that is to be made waits for its daemon.
  survives: true,
});
export const killedUnderAgents = killed("agents work", {
  task: (faults) => workTask(faults, "killed-under-agents", { agentS: 8 }),
  phase: AGENT_WORKS,
});
export const killedUnderTests = killed("tests run", {
  task: (faults) => workTask(faults, "killed-under-tests", { testS: 8 }),
  phase: TESTS_RUN,
});

const frozen = (during, when) => (world) =>
  playFault(world, {
    fault: `the Docker daemon does not answer for ${FROZEN_MS / 1_000} s: ${during}`,
    strike: async ({ daemon }) => {
      daemon.freeze();
      await sleep(FROZEN_MS);
      daemon.thaw();
    },
    errors: [],
    survives: true,
    ends: [1],
    isLonely: true,
    ...when,
  });
export const frozenUnderTests = frozen("tests run", {
  task: (faults) => workTask(faults, "frozen", { testS: 8 }),
  phase: TESTS_RUN,
});

export const goneForGood = (world) =>
  playFault(world, {
    fault: "the Docker daemon is gone for good: agents work",
    task: (faults) => workTask(faults, "gone", { agentS: 8 }),
    phase: AGENT_WORKS,
    strike: ({ daemon }) => daemon.kill(),
    mend: ({ daemon }) => daemon.start(),
    errors: LOST,
    ends: [null],
    isLonely: true,
  });

export const imageMissing = (world) =>
  playFault(world, {
    fault: "the image is missing, and can not be pulled: trials start",
    task: (faults) => {
      // Before any of the trials asks for it.
      faults.daemon.removeImage();
      return workTask(faults, "no-image");
    },
    mend: ({ daemon }) => daemon.makeImage(),
    errors: ["SandboxBuildFailedError"],
    ends: [null],
    isLonely: true,
  });

const full = (during, when) => (world) =>
  playFault(world, {
    fault: `the disk of the Docker daemon is full: ${during}`,
    strike: ({ daemon }) => daemon.disk.keepFull(),
    mend: ({ daemon }) => daemon.disk.free(),
    errors: ["SandboxDiskFullError"],
    // A sandbox that goes makes a little room for the others' work.
    survives: true,
    ends: [1, null],
    isSeen: true,
    isLonely: true,
    ...when,
  });
export const fullUnderAgents = full("agents work", {
  task: (faults) => workTask(faults, "full-under-agents", { agentS: 8 }),
  phase: AGENT_WORKS,
});
/** Tests as they are: what they write before they judge finds no room. */
const WRITES = `echo 0 > /logs/verifier/reward.txt; sleep 8
head -c 600000 /dev/zero > /tmp/out && [ "$(cat /app/answer)" = repaired ] && echo 1 > /logs/verifier/reward.txt
exit 0`;
export const fullUnderTests = full("tests run", {
  task: (faults) => workTask(faults, "full-under-tests", { test: WRITES }),
  phase: TESTS_RUN,
});
