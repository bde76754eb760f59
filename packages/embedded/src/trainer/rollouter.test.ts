import type { RolloutResult } from "@liverl/contract/rollout";
import { expect, test } from "vitest";
import { Rollouter, type RollouterLimits } from "#trainer/rollouter.ts";
import type { DrawnTask } from "#trainer/trainer-state.ts";

/** A rollout of two sampled tokens, of these versions. */
function rolloutOf(rolloutId: string, versions: [number, number]): RolloutResult {
  return {
    ...{ rolloutId, sessionId: rolloutId, attempt: 1, status: "succeeded", reward: 1 },
    ...{ termination: "agent-finished", error: null, turns: 1, flags: [] },
    segments: [
      {
        ...{ credit: null, tokenIds: [1, 2, 3], mask: [0, 1, 1], logprobs: [null, -1, -1] },
        ...{ policyVersions: [null, ...versions], reward: 1, trainable: true, reason: null },
      },
    ],
    timings: { queueS: 0, setupS: 0, agentS: 0, generateS: 0, toolS: 0, verifyS: 0 },
  };
}

/** A rollouter whose samples end when the test says so. */
function open(limits: Partial<RollouterLimits> = {}, left = 100, again: DrawnTask[] = []) {
  let drawn = again.length;
  const running = new Map<number, (versions: [number, number]) => void>();
  const begunUnder: number[] = [];
  const rollouter = new Rollouter(
    {
      draw: () => ({ index: drawn++, taskRef: `repair/${drawn}` }),
      run: ({ index }, version, signal) => {
        begunUnder.push(version);
        return new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          running.set(index, (versions) => {
            running.delete(index);
            resolve([rolloutOf(`g${index}`, versions)]);
          });
        });
      },
    },
    { maxRequiredSamples: 6, maxConcurrentSamples: 3, maxStaleness: 1, ...limits },
    { again, left },
  );
  const end = async (index: number, versions: [number, number]) => {
    running.get(index)?.(versions);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { rollouter, running, end, begunUnder };
}

test("no more than the limits in flight, and no more for a version than it may have", async () => {
  const { rollouter, running, end } = open();
  rollouter.begin(0);
  expect([...running.keys()]).toEqual([0, 1, 2]);
  for (const index of [0, 1, 2, 3, 4, 5]) await end(index, [0, 0]);
  // Six were begun: the version has its fill until the weights change.
  expect(running.size).toBe(0);
  const taken = await rollouter.take(4, 0);
  expect(taken.map(({ task }) => task.index)).toEqual([0, 1, 2, 3]);
  expect(running.size).toBe(0);
  expect(rollouter.begin(1)).toMatchObject({ active: 0, queued: 2 });
  expect(running.size).toBe(3);
  for (const index of [6, 7, 8, 9]) await end(index, [1, 1]);
  // Two were left over and count: four more, and no fifth.
  expect(running.size).toBe(0);
});

test("the oldest token decides, and what is too old is dropped, counted and made up for", async () => {
  const { rollouter, running, end } = open({ maxRequiredSamples: 3 });
  rollouter.begin(0);
  await end(0, [0, 0]);
  await end(1, [0, 2]);
  await end(2, [1, 2]);
  expect(running.size).toBe(0);
  const taking = rollouter.take(2, 2);
  await new Promise((resolve) => setImmediate(resolve));
  expect(rollouter.dropped).toBe(2);
  expect(running.size).toBe(2);
  await end(3, [2, 2]);
  expect((await taking).map(({ task }) => task.index)).toEqual([2, 3]);
});

test("what was drawn and has not trained is told, whatever has become of it", async () => {
  const again = [
    { index: 0, taskRef: "repair/90" },
    { index: 1, taskRef: "repair/91" },
  ];
  const { rollouter, end } = open({ maxConcurrentSamples: 1 }, 100, again);
  rollouter.begin(4);
  expect(rollouter.untrained()).toEqual(again);
  await end(0, [4, 4]);
  await end(1, [4, 4]);
  expect(rollouter.untrained().map(({ index }) => index)).toEqual([0, 1, 2]);
  await rollouter.take(1, 4);
  expect(rollouter.untrained().map(({ index }) => index)).toEqual([1, 2]);
});

test("held, it begins nothing and waits for what is in flight", async () => {
  const { rollouter, running, end, begunUnder } = open({ maxConcurrentSamples: 1 });
  rollouter.begin(0);
  let isHeld = false;
  const held = rollouter.hold().then(() => {
    isHeld = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isHeld).toBe(false);
  await end(0, [0, 0]);
  await held;
  expect(running.size).toBe(0);
  rollouter.begin(1);
  expect(begunUnder).toEqual([0, 1]);
});

test("the end of the plan begins no sample that nothing would train", async () => {
  const { rollouter, running } = open({}, 2);
  rollouter.begin(0);
  expect(running.size).toBe(2);
});

test("a refused sample is the trainer's error; one that nobody asks for any more is none", async () => {
  const failing = new Rollouter(
    {
      draw: () => ({ index: 0, taskRef: "repair/1" }),
      run: () => Promise.reject(new Error("the runner answered 400")),
    },
    { maxRequiredSamples: 1, maxConcurrentSamples: 1, maxStaleness: 1 },
    { again: [], left: 1 },
  );
  failing.begin(0);
  await expect(failing.take(1, 0)).rejects.toThrow("the runner answered 400");
  const { rollouter, running } = open();
  rollouter.begin(0);
  rollouter.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(running.size).toBe(3);
  expect(rollouter.untrained()).toEqual([]);
});
