import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { describe, expect, it } from "vitest";
import type { AgentLogRecord } from "#reality/agents/engine/scripted-engine.ts";
import { compareTrajectory } from "#reality/agents/judge/compare-trajectory.ts";
import { countUntrained } from "#reality/agents/judge/count-trained.ts";
import { countBreaks } from "#reality/agents/judge/main-line.ts";

const at = "2026-11-22T00:00:00.000Z";
const record = (requestId: string, promptIds: number[], ids: number[]): AgentLogRecord => ({
  requestId,
  promptIds,
  ids,
  logprobs: ids.map((id) => -id / 7),
  versions: ids.map((_, i) => (i < 1 ? 4 : 5)),
  finishReason: "stop",
  at,
  role: "main",
  disconnected: false,
});
/** Two turns; the second was resumed after its first token. */
const RECORDS = [
  record("c0-0", [1, 2], [3, 4]),
  { ...record("c1-0", [1, 2, 3, 4, 5], [6]), finishReason: "abort" },
  record("c1-1", [1, 2, 3, 4, 5, 6], [7, 8]),
];

function trajectory(): ProxyTrajectory {
  const given = (id: number, parentId: number | null, tokenIds: number[]) => ({
    ...{ id, parentId, tokenIds, kind: "given", role: "user", reason: null },
    message: { role: "user", content: "" },
  });
  const sampled = (
    id: number,
    parentId: number,
    of: readonly AgentLogRecord[],
    callId: number,
  ) => ({
    ...{ id, parentId, callId, kind: "sampled", role: "assistant", versionSpan: [4, 5] },
    message: { role: "assistant", content: "" },
    tokenIds: of.flatMap(({ ids }) => ids),
    logprobs: of.flatMap(({ logprobs }) => logprobs),
    policyVersions: of.flatMap(({ versions }) => versions),
  });
  const call = (id: number, promptNodeId: number, sampledNodeId: number, requestIds: string[]) => ({
    ...{ id, promptNodeId, sampledNodeId, requestIds, requestId: requestIds[0] },
    ...{ dialect: "openai-chat", kind: "main", status: "done", stopReason: "stop" },
    ...{ startedAt: at, firstTokenAt: at, endedAt: at, sampling: {}, requested: {} },
    ...{ usage: { promptTokens: 0, sampledTokens: 0 }, fork: null, error: null },
  });
  return ProxyTrajectory.parse({
    format: "liverl-proxy-trajectory/1",
    ...{ sessionId: "s", rolloutId: null, attempt: 0, runId: null, taskId: null, groupId: null },
    ...{ step: null, mode: "train", reward: null, termination: "agent-finished" },
    model: { name: "", family: "", tokenizerSha256: "", chatTemplateSha256: "" },
    nodes: [
      given(0, null, [1, 2]),
      sampled(1, 0, RECORDS.slice(0, 1), 0),
      given(2, 1, [5]),
      sampled(3, 2, RECORDS.slice(1), 1),
    ],
    calls: [call(0, 0, 1, ["c0-0"]), call(1, 2, 3, ["c1-0", "c1-1"])],
    segments: [
      {
        ...{ id: 0, path: [0, 1, 2, 3], trainedNodes: [1, 3] },
        ...{ parentSegmentId: null, trainable: true, reason: null },
      },
    ],
  });
}

function changed(change: (copy: ProxyTrajectory) => void): ProxyTrajectory {
  const copy = trajectory();
  change(copy);
  return copy;
}

function sampledOf(copy: ProxyTrajectory, id: number) {
  const node = copy.nodes.find((one) => one.id === id);
  if (node?.kind !== "sampled") throw new Error(`node ${id} is not sampled`);
  return node;
}

describe("the judge of the agents suite", () => {
  it("finds a faithful record exact", () => {
    expect(compareTrajectory(RECORDS, trajectory())).toEqual({
      requests: 3,
      exact: 3,
      tokens: 5,
      faults: [],
    });
    expect(countBreaks(RECORDS)).toBe(0);
    expect(countUntrained(RECORDS, trajectory())).toBe(0);
  });

  it.each<[string, (copy: ProxyTrajectory) => void, string]>([
    ["a sampled id", (copy) => sampledOf(copy, 3).tokenIds.splice(2, 1, 9), "c1-1 differs in ids"],
    [
      "a log-prob's last digit",
      (copy) => sampledOf(copy, 1).logprobs.splice(1, 1, -4 / 7 + 1e-16),
      "c0-0 differs in log-probs",
    ],
    [
      "a version",
      (copy) => sampledOf(copy, 1).policyVersions.splice(0, 1, 5),
      "c0-0 differs in versions",
    ],
    [
      "a version that the engine told",
      (copy) => sampledOf(copy, 1).policyVersions.splice(0, 1, null),
      "c0-0 differs in versions",
    ],
    ["a given id", (copy) => copy.nodes[2]?.tokenIds.splice(0, 1, 9), "c1-0 differs in prompt"],
    ["a call", (copy) => copy.calls.splice(0, 1), "c0-0 is in no call"],
    [
      "a token too many",
      (copy) => {
        sampledOf(copy, 1).tokenIds.push(9);
        sampledOf(copy, 1).logprobs.push(-1);
        sampledOf(copy, 1).policyVersions.push(5);
      },
      "call 0 holds tokens that the engine did not sample for it",
    ],
  ])("sees that %s is wrong", (_, change, fault) => {
    expect(compareTrajectory(RECORDS, changed(change)).faults).toContain(fault);
  });

  it("counts prompts that do not go on from the one before, and asks nothing of requests without a client", () => {
    const other = record("c2-0", [1, 2, 3, 4, 9], [6]);
    expect(countBreaks([...RECORDS, other])).toBe(1);
    const gone = { ...record("cx-0", [1, 2, 3, 4, 9], [6]), disconnected: true };
    expect(countBreaks([...RECORDS.slice(0, 1), gone, ...RECORDS.slice(1)])).toBe(0);
  });

  it("counts main-line tokens that nothing trains", () => {
    const copy = changed(({ segments }) => segments[0]?.trainedNodes.pop());
    expect(countUntrained(RECORDS, copy)).toBe(3);
  });
});
