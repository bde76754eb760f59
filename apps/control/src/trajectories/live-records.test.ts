import { AppError } from "@liverl/contract/app-error";
import type { SessionRecord } from "@liverl/contract/session-view";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readLiveRecord } from "#trajectories/live-records.ts";

const COUNT = 40;
const record = (nodes: number): SessionRecord => ({
  live: true,
  trajectory: {
    ...{ format: "liverl-proxy-trajectory/1", sessionId: "s", rolloutId: "r", attempt: 1 },
    ...{ runId: null, taskId: null, groupId: null, step: null, mode: "train" },
    model: { name: "m", family: "f", tokenizerSha256: "", chatTemplateSha256: "" },
    nodes: Array.from({ length: nodes }, (_, id) => ({
      ...{ id, parentId: id === 0 ? null : id - 1, kind: "given", role: "user", reason: null },
      ...{ linkedFrom: null, message: { role: "user", content: "x" }, tokenIds: [id] },
    })),
    calls: [],
    segments: [
      {
        ...{ id: 0, path: Array.from({ length: nodes }, (_, id) => id), trainedNodes: [] },
        ...{ parentSegmentId: null, trainedTokens: 0, trainable: true, reason: null },
      },
    ],
    ...{ reward: null, termination: "agent-finished" },
  },
});

/** Stands in for the runner: answers as a proxy whose session has so many nodes. */
function standIn(sessionId: string) {
  const state = { nodes: COUNT, asked: [] as string[] };
  const runner = {
    inspectSession: async (id: string, aspect: string) => {
      if (id !== sessionId)
        throw new AppError("NOT_FOUND", { userMessage: `There is no session ${id}.` });
      state.asked.push(aspect);
      const first = Number(aspect.split("/")[1]);
      const whole = record(state.nodes);
      const nodes = whole.trajectory.nodes.filter((node) => node.id >= first);
      return { ...whole, trajectory: { ...whole.trajectory, nodes } };
    },
  };
  return { state, runner };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a session is read whole once, and then what is new of it", async () => {
  const { state, runner } = standIn("grows");
  expect((await readLiveRecord(runner, "grows"))?.trajectory.nodes).toHaveLength(COUNT);
  // Within a second it is the same.
  await readLiveRecord(runner, "grows");
  vi.advanceTimersByTime(2_000);
  state.nodes += 5;
  const next = await readLiveRecord(runner, "grows");
  expect(next?.trajectory).toEqual(record(COUNT + 5).trajectory);
  expect(state.asked).toEqual(["nodes/0", `nodes/${COUNT - 16}`]);
});

test("where the joined record has a hole, it is read whole again", async () => {
  const { state, runner } = standIn("hole");
  const known = await readLiveRecord(runner, "hole");
  // As if this node had come to be later than those after it, by more than what is asked for twice.
  known?.trajectory.nodes.splice(3, 1);
  state.nodes += 1;
  vi.advanceTimersByTime(2_000);
  const next = await readLiveRecord(runner, "hole");
  expect(next?.trajectory).toEqual(record(COUNT + 1).trajectory);
  expect(state.asked.at(-1)).toBe("nodes/0");
});

test("a session that has not begun is null, and a runner that is away is said to be", async () => {
  expect(await readLiveRecord(standIn("other").runner, "unborn")).toBeNull();
  const away = {
    inspectSession: async () => {
      throw new AppError("UNAVAILABLE", { userMessage: "The trial runner is away." });
    },
  };
  await expect(readLiveRecord(away, "away")).rejects.toMatchObject({ code: "UNAVAILABLE" });
});
