import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { REPLAY_REQUEST } from "@liverl/contract/replay";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { checkCall } from "#audit/check-call.ts";
import { checkRecomputed } from "#audit/check-recomputed.ts";
import { EngineLogIndex } from "#audit/engine-log-index.ts";
import { findTrajectories } from "#audit/find-trajectories.ts";
import { LogprobRecomputation } from "#audit/recompute-logprobs.ts";
import { type AuditReport, AuditTally, LOGPROB_TOLERANCE } from "#audit/report.ts";

/**
 * Holds every finished call of a run against what the engines logged, and its log-probs against the stored weights.
 * Reads files only, so it works whether anything runs or not.
 */
export async function auditRun(options: {
  dataDir: string;
  runId: string;
  logprobsEntry: string;
  onProgress?: (tally: Pick<AuditTally, "calls" | "tokens">) => void;
}): Promise<{ report: AuditReport; isClean: boolean }> {
  const { dataDir, runId, logprobsEntry, onProgress } = options;
  const runDir = join(dataDir, "runs", runId);
  const tally = new AuditTally();
  const index = await EngineLogIndex.open(runDir);
  for (const place of index.unreadable)
    tally.fault({ callId: runId, kind: "unreadable", detail: `not a record: ${place}` });
  const recomputation = new LogprobRecomputation({
    entry: logprobsEntry,
    runDir,
    onAnswer: (callId, maxDiff) => {
      if (Number.isFinite(maxDiff)) tally.maxLogprobDiff = Math.max(tally.maxLogprobDiff, maxDiff);
      if (maxDiff <= LOGPROB_TOLERANCE) return;
      tally.fault({ callId, kind: "recomputed-logprobs", detail: `differs by ${maxDiff}` });
    },
  });
  const sessions = new Map<string, number>();
  for await (const path of findTrajectories(dataDir, runId)) {
    const trajectory = await readTrajectory(path);
    if (!trajectory) {
      tally.fault({ callId: path, kind: "unreadable", detail: "not a trajectory" });
      continue;
    }
    if (trajectory.runId !== runId) continue;
    sessions.set(trajectory.sessionId, trajectory.calls.length);
    for (const call of trajectory.calls) {
      if (call.status !== "done") {
        // No client has seen it end, so there is nothing to be exact about; its records have an owner all the same.
        for (const requestId of call.requestIds) await index.claim(requestId);
        continue;
      }
      tally.calls++;
      const sampled = await checkCall(trajectory, call, index, tally);
      if (sampled) await recomputation.push(sampled);
    }
    await recomputation.pushAll(await checkRecomputed(trajectory, index, tally));
    onProgress?.(tally);
  }
  const { unanswered, why } = await recomputation.finish();
  for (const callId of unanswered)
    tally.fault({
      callId,
      kind: "recomputed-logprobs",
      detail: `not recomputed: ${why || "the process ended"}`,
    });
  await listUnclaimed(index, sessions, tally, runDir);
  await index.close();
  return tally.finish();
}

/**
 * Records that no call claims. An engine that was cut off leaves such ones when its call was asked again: their id
 * names the call (`<session>-c<call>-<n>`, `-score` where a prompt was scored), and nothing of them was ever answered.
 */
async function listUnclaimed(
  index: EngineLogIndex,
  sessions: ReadonlyMap<string, number>,
  tally: AuditTally,
  runDir: string,
): Promise<void> {
  const isFinished = (await stat(join(runDir, "result.json")).catch(() => null)) !== null;
  for (const requestId of index.unclaimed()) {
    // A turn that was sampled again: it belongs to no rollout and trains nothing.
    if (REPLAY_REQUEST.test(requestId)) continue;
    const [, sessionId = "", call = ""] = /^(.+)-c(\d+)-(?:\d+|score)$/.exec(requestId) ?? [];
    const calls = sessions.get(sessionId);
    if (calls !== undefined && Number(call) < calls) continue;
    // Sessions that are not frozen yet have no file: a run that goes on, an outside agent that still works.
    if (calls === undefined && (!isFinished || sessionId.startsWith("outside-"))) continue;
    tally.fault({
      callId: requestId,
      kind: "unclaimed-record",
      detail: "the engine answered a request that no call names",
    });
  }
}

async function readTrajectory(path: string): Promise<ProxyTrajectory | null> {
  try {
    return ProxyTrajectory.safeParse(JSON.parse(await readFile(path, "utf8"))).data ?? null;
  } catch {
    return null;
  }
}
