import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { EngineLogRecord } from "@liverl/contract/engine-api";
import type { Call, GivenNode, ProxyTrajectory } from "@liverl/contract/trajectory";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { auditRun } from "#audit/audit-run.ts";
import { latestRun } from "#audit/find-trajectories.ts";
import { builtEntry } from "#testing/built-entry.ts";

let dataDir: string;
let logprobsEntry: string;

/** Stands in for the process that recomputes log-probs: for it, the right one of token t is -t/100. */
const RECOMPUTER = `
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { ids, logprobs, temperature } = JSON.parse(line);
  const diffs = ids.map((id, i) => Math.abs(logprobs[i] * temperature + id / 100));
  console.log(JSON.stringify({ maxDiff: Math.max(...diffs) }));
});
`;

const logprobOf = (id: number) => -id / 100;

function callOf(
  id: number,
  promptNodeId: number,
  sampledNodeId: number | null,
  requestIds: string[],
  status: Call["status"] = "done",
): Call {
  return {
    id,
    requestId: requestIds[0] ?? "",
    requestIds,
    dialect: "openai-chat",
    kind: "main",
    subagent: null,
    rewritten: false,
    promptNodeId,
    sampledNodeId,
    status,
    stopReason: "stop",
    stopText: null,
    sentAt: null,
    startedAt: "2026-11-21T00:00:00Z",
    firstTokenAt: null,
    endedAt: null,
    sampling: { temperature: 1 },
    requested: {},
    usage: { promptTokens: 3, sampledTokens: 2 },
    fork: null,
    error: null,
  };
}

function sampledNode(
  id: number,
  parentId: number,
  callId: number,
  tokenIds: number[],
  versions: number[],
): ProxyTrajectory["nodes"][number] {
  return {
    id,
    parentId,
    kind: "sampled",
    role: "assistant",
    message: { role: "assistant" },
    tokenIds,
    logprobs: tokenIds.map(logprobOf),
    policyVersions: versions,
    versionSpan: [Math.min(...versions), Math.max(...versions)],
    callId,
  };
}

/** Two calls: a plain one, and one that a weight sync interrupted, so that it took two requests. */
function trajectoryOf(sessionId: string): ProxyTrajectory {
  return {
    format: "liverl-proxy-trajectory/1",
    sessionId,
    rolloutId: "r",
    attempt: 1,
    runId: "run-1",
    taskId: "repair/7",
    groupId: "g",
    step: 0,
    mode: "train",
    model: { name: "m", family: "f", tokenizerSha256: "", chatTemplateSha256: "" },
    nodes: [
      {
        id: 0,
        parentId: null,
        kind: "given",
        role: "user",
        message: { role: "user" },
        tokenIds: [1, 2, 3],
        reason: null,
        linkedFrom: null,
      },
      sampledNode(1, 0, 0, [10, 11], [0, 0]),
      {
        id: 2,
        parentId: 1,
        kind: "given",
        role: "tool",
        message: { role: "tool" },
        tokenIds: [4],
        reason: null,
        linkedFrom: null,
      },
      sampledNode(3, 2, 1, [12, 13, 14], [0, 1, 1]),
    ],
    calls: [
      callOf(0, 0, 1, [`${sessionId}-c0-0`]),
      callOf(1, 2, 3, [`${sessionId}-c1-0`, `${sessionId}-c1-1`]),
    ],
    segments: [
      {
        id: 0,
        path: [0, 1, 2, 3],
        trainedNodes: [1, 3],
        parentSegmentId: null,
        trainedTokens: 0,
        trainable: true,
        reason: null,
      },
    ],
    reward: { reward: 1 },
    termination: "agent-finished",
  };
}

const record = (
  requestId: string,
  promptIds: number[],
  ids: number[],
  versions: number[],
): EngineLogRecord => ({
  requestId,
  promptIds,
  ids,
  logprobs: ids.map(logprobOf),
  versions,
  finishReason: "stop",
  at: "2026-11-21T00:00:00Z",
});
const recordsOf = (sessionId: string): EngineLogRecord[] => [
  record(`${sessionId}-c0-0`, [1, 2, 3], [10, 11], [0, 0]),
  record(`${sessionId}-c1-0`, [1, 2, 3, 10, 11, 4], [12], [0]),
  record(`${sessionId}-c1-1`, [1, 2, 3, 10, 11, 4, 12], [13, 14], [1, 1]),
];

const trajectoryPath = (sessionId: string) =>
  join(dataDir, "harbor_trials/demo/run-1/step_0", sessionId, "proxy_trajectory.json");
async function writeTrajectory(trajectory: ProxyTrajectory): Promise<void> {
  await mkdir(join(trajectoryPath(trajectory.sessionId), ".."), { recursive: true });
  await writeFile(trajectoryPath(trajectory.sessionId), JSON.stringify(trajectory));
}
const writeEngineLog = (records: EngineLogRecord[], name = "engine-0.jsonl") =>
  writeFile(
    join(dataDir, "runs/run-1", name),
    records.map((one) => `${JSON.stringify(one)}\n`).join(""),
  );
const audit = () => auditRun({ dataDir, runId: "run-1", logprobsEntry });
const kinds = async () => [...new Set((await audit()).report.violations.map(({ kind }) => kind))];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-audit-"));
  logprobsEntry = join(dataDir, "recompute.cjs");
  await writeFile(logprobsEntry, RECOMPUTER);
  await mkdir(join(dataDir, "runs/run-1"), { recursive: true });
  await writeFile(
    join(dataDir, "runs/run-1/plan.json"),
    JSON.stringify({ runId: "run-1", spec: { project: "demo" } }),
  );
  await writeFile(join(dataDir, "runs/run-1/result.json"), "{}");
  await writeTrajectory(trajectoryOf("a"));
  await writeTrajectory(trajectoryOf("b"));
  await writeEngineLog(recordsOf("a"));
  await writeEngineLog(recordsOf("b"), "engine-1.jsonl");
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe("auditRun", () => {
  it("finds an untouched run exact", async () => {
    const { report, isClean } = await audit();
    expect(report).toMatchObject({ calls: 4, exactCalls: 4, tokens: 10, violations: [] });
    expect(report.maxLogprobDiff).toBeLessThan(1e-12);
    expect(isClean).toBe(true);
    expect(await latestRun(dataDir)).toBe("run-1");
  });

  it.each<[string, (trajectory: ProxyTrajectory) => void, string]>([
    [
      "a sampled id",
      (t) => {
        t.nodes[1]!.tokenIds[0] = 99;
      },
      "sampled-ids",
    ],
    [
      "an id of the prompt",
      (t) => {
        t.nodes[0]!.tokenIds[2] = 99;
      },
      "prompt-ids",
    ],
    [
      "a log-prob",
      (t) => {
        const node = t.nodes[3]!;
        if (node.kind === "sampled") node.logprobs[1] = -0.9;
      },
      "logprobs",
    ],
    [
      "a version",
      (t) => {
        const node = t.nodes[3]!;
        if (node.kind === "sampled") node.policyVersions[2] = 2;
      },
      "versions",
    ],
    [
      "a span of versions",
      (t) => {
        const node = t.nodes[3]!;
        if (node.kind === "sampled") node.versionSpan = [77, 99];
      },
      "versions",
    ],
    [
      "a token too many",
      (t) => {
        const node = t.nodes[1]!;
        if (node.kind === "sampled") {
          node.tokenIds.push(15);
          node.logprobs.push(-0.15);
          node.policyVersions.push(0);
        }
      },
      "sampled-ids",
    ],
    [
      "a request that was never made",
      (t) => {
        t.calls[0]!.requestIds = ["a-c9-0"];
      },
      "missing-record",
    ],
    [
      "another call's request",
      (t) => {
        t.calls[0]!.requestIds = ["b-c0-0"];
      },
      "claimed-twice",
    ],
  ])("finds %s in a trajectory", async (_, tamper, kind) => {
    const trajectory = trajectoryOf("a");
    tamper(trajectory);
    await writeTrajectory(trajectory);
    const { report, isClean } = await audit();
    expect(report.violations.map((violation) => violation.kind)).toContain(kind);
    expect(report.exactCalls).toBeLessThan(report.calls);
    expect(isClean).toBe(false);
  });

  it.each<[string, (records: EngineLogRecord[]) => void, string]>([
    [
      "an id",
      (r) => {
        r[0]!.ids[0] = 99;
      },
      "sampled-ids",
    ],
    [
      "a log-prob",
      (r) => {
        r[0]!.logprobs[0] = -0.7;
      },
      "logprobs",
    ],
    [
      "a version",
      (r) => {
        r[2]!.versions[1] = 7;
      },
      "versions",
    ],
    [
      "a record twice",
      (r) => {
        r.push(r[0]!);
      },
      "repeated-record",
    ],
    [
      "a record lost",
      (r) => {
        r.pop();
      },
      "missing-record",
    ],
    [
      "a request of nobody",
      (r) => {
        r.push(record("z-c0-0", [1], [2], [0]));
      },
      "unclaimed-record",
    ],
    [
      "a call that its session does not have",
      (r) => {
        r.push(record("a-c7-0", [1], [2], [0]));
      },
      "unclaimed-record",
    ],
  ])("finds %s in an engine's log", async (_, tamper, kind) => {
    const records = recordsOf("a");
    tamper(records);
    await writeEngineLog(records);
    expect(await kinds()).toContain(kind);
  });

  it("finds log-probs that both sides agree on and the weights do not", async () => {
    const trajectory = trajectoryOf("a");
    const records = recordsOf("a");
    const node = trajectory.nodes[1]!;
    if (node.kind === "sampled") node.logprobs[0] = -0.1003;
    records[0]!.logprobs[0] = -0.1003;
    await writeTrajectory(trajectory);
    await writeEngineLog(records);
    expect(await kinds()).toEqual(["recomputed-logprobs"]);
  });

  describe("with a turn in the client's words that trains", () => {
    /** The first prompt holds one: tokens 2 and 3 of it. */
    function withRecomputed(): ProxyTrajectory {
      const trajectory = trajectoryOf("a");
      const node = trajectory.nodes[0]!;
      if (node.kind !== "given") throw new Error("node 0 is given");
      node.lossyTurns = [null, [1, 3]];
      node.recomputed = {
        ...{ requestId: "a-c0-score", temperature: 1, version: 1 },
        logprobs: [2, 3].map(logprobOf),
      };
      return trajectory;
    }
    const scoreRecord = () => record("a-c0-score", [1, 2, 3], [9], [1]);

    it("does not take it for a call's output, and recomputes it", async () => {
      await writeTrajectory(withRecomputed());
      await writeEngineLog([...recordsOf("a"), scoreRecord()]);
      expect(await audit()).toMatchObject({
        isClean: true,
        report: { calls: 4, exactCalls: 4, tokens: 10, recomputedTokens: 2 },
      });
    });

    it("does not blame a score that came too late", async () => {
      await writeEngineLog([...recordsOf("a"), scoreRecord()]);
      expect(await audit()).toMatchObject({ isClean: true, report: { recomputedTokens: 0 } });
    });

    it.each<[string, (node: GivenNode, scored: EngineLogRecord) => void, string]>([
      [
        "another prompt",
        (_, scored) => {
          scored.promptIds[1] = 7;
        },
        "recomputed-turns",
      ],
      [
        "another version",
        (_, scored) => {
          scored.versions[0] = 0;
        },
        "recomputed-turns",
      ],
      [
        "no record",
        (_, scored) => {
          scored.requestId = "a-c1-score";
        },
        "recomputed-turns",
      ],
      [
        "a log-prob that the weights do not give",
        (node) => {
          node.recomputed!.logprobs[1] = -0.5;
        },
        "recomputed-logprobs",
      ],
    ])("finds %s", async (_, tamper, kind) => {
      const trajectory = withRecomputed();
      const scored = scoreRecord();
      tamper(trajectory.nodes[0] as GivenNode, scored);
      await writeTrajectory(trajectory);
      await writeEngineLog([...recordsOf("a"), scored]);
      expect(await kinds()).toEqual([kind]);
    });
  });

  it("scores a greedy choice at temperature 1", async () => {
    const trajectory = trajectoryOf("a");
    trajectory.calls[0]!.sampling = { temperature: 0 };
    await writeTrajectory(trajectory);
    expect(await audit()).toMatchObject({ isClean: true });
  });

  it("lets a turn that a stop string cut end before its record does, and holds the rest equal", async () => {
    const trajectory = trajectoryOf("a");
    trajectory.calls[1]!.requested = { stop: ["STOP"] };
    await writeTrajectory(trajectory);
    const records = recordsOf("a");
    records[2] = {
      ...record("a-c1-1", [1, 2, 3, 10, 11, 4, 12], [13, 14, 15], [1, 1, 1]),
      finishReason: "abort",
    };
    await writeEngineLog(records);
    expect(await audit()).toMatchObject({ isClean: true });
    records[2]!.ids[1] = 99;
    await writeEngineLog(records);
    expect(await kinds()).toEqual(["sampled-ids"]);
  });

  it("blames a record that goes on where nothing cut the turn", async () => {
    const records = recordsOf("a");
    records[2] = record("a-c1-1", [1, 2, 3, 10, 11, 4, 12], [13, 14, 15], [1, 1, 1]);
    await writeEngineLog(records);
    expect(await kinds()).toEqual(["sampled-ids"]);
  });

  it("does not blame a turn that was sampled again, nor takes another name for one", async () => {
    const of = (requestId: string) => record(requestId, [1], [2], [0]);
    const replay = "replay.0123456789abcdef";
    await writeEngineLog([...recordsOf("a"), of(`${replay}-3-0`), of(`${replay}-score`)]);
    expect(await audit()).toMatchObject({ isClean: true });
    for (const other of [`${replay}-c3-0`, "replay.01-3-0"]) {
      await writeEngineLog([...recordsOf("a"), of(other)]);
      expect(await kinds()).toEqual(["unclaimed-record"]);
    }
  });

  it("does not blame a request that was asked again, or a call that was never answered", async () => {
    const trajectory = trajectoryOf("a");
    trajectory.calls.push(callOf(2, 2, null, [], "incomplete"));
    await writeTrajectory(trajectory);
    await writeEngineLog([
      ...recordsOf("a"),
      record("a-c0-1", [1, 2, 3], [9], [0]),
      record("a-c2-0", [1], [2], [0]),
    ]);
    expect(await audit()).toMatchObject({ isClean: true, report: { calls: 4 } });
  });

  it("fails when there is nothing to look at, and when the recomputation dies", async () => {
    await writeFile(logprobsEntry, "process.stderr.write('no weights'); process.exit(3);");
    const { report, isClean } = await audit();
    expect(isClean).toBe(false);
    expect(report.violations[0]?.detail).toContain("no weights");
    await rm(join(dataDir, "harbor_trials"), { recursive: true });
    await writeEngineLog([]);
    await writeEngineLog([], "engine-1.jsonl");
    expect(await audit()).toMatchObject({ isClean: false, report: { calls: 0, exactCalls: 0 } });
  });
});

describe("audit.mjs", () => {
  it("prints the report as the last line and exits by it", async () => {
    const run = (folder: string) =>
      promisify(execFile)(process.execPath, [
        builtEntry("audit"),
        "--data-dir",
        folder,
        "--json",
      ]).catch((error: { code: number; stdout: string }) => error);
    expect(await run(join(dataDir, "none"))).toMatchObject({ code: 2 });
    // These weights do not exist, so the real recomputation can not agree.
    const failed = await run(dataDir);
    expect(failed).toMatchObject({ code: 1 });
    expect(JSON.parse(failed.stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      calls: 4,
      tokens: 10,
      exactCalls: 0,
    });
  });
});

describe("audit-logprobs.mjs", () => {
  it("answers a line that it can not read with a failure of that call alone", async () => {
    const child = spawn(process.execPath, [builtEntry("audit-logprobs")], { stdio: "pipe" });
    child.stdin.end('{"temperature": 0}\nnot JSON\n');
    const [[code], text] = await Promise.all([once(child, "close"), child.stdout.toArray()]);
    expect(code).toBe(0);
    expect(text.join("")).toBe(`{"maxDiff":${Number.MAX_VALUE}}\n`.repeat(2));
  });
});
