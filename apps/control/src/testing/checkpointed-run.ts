import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ProxyTrajectory, TRAJECTORY_FORMAT } from "@liverl/contract/trajectory";
import { indexTrials } from "#rollouts/follow-trials.ts";
import type { TestContext } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";

const MODEL_FILES = [
  "config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "chat_template.jinja",
];

/** Some turn's prompt and what was sampled after it. */
export interface RecordedTurn {
  promptIds: number[];
  tokenIds: number[];
  logprobs: number[];
  version: number;
}

/**
 * An embedded run that has ended, with the real model's folder and two real checkpoints, of steps 4 and 8: weights under which
 * a token has different log-probs. `addRollout` records a rollout of one turn in it.
 */
export async function addCheckpointedRun(ctx: TestContext, runId: string) {
  const { dataDir, dist } = ctx.config;
  const folder = join(dataDir, "runs", runId);
  await mkdir(folder, { recursive: true });
  execFileSync(process.execPath, [join(dist, "two-policies.mjs"), "--out", folder]);
  for (const [step, weights] of [
    [4, "even"],
    [8, "odd"],
  ] as const) {
    const checkpoint = join(folder, "checkpoints", `global_step_${step}`);
    await mkdir(checkpoint, { recursive: true });
    for (const name of MODEL_FILES) await cp(join(folder, "model", name), join(checkpoint, name));
    await cp(join(folder, `weights/${weights}.safetensors`), join(checkpoint, "model.safetensors"));
    const state = { progress: { step, weightVersion: step }, weightsSha256: `sha-of-${weights}` };
    await writeFile(join(checkpoint, "trainer_state.json"), JSON.stringify(state));
    await writeFile(join(checkpoint, "COMPLETE"), "state\n");
  }
  await ctx.db.run.create({
    data: {
      ...{ id: runId, project: "tests", name: runId, driver: "embedded", status: "succeeded" },
      ...{ spec: launchSpec(), color: 1 },
    },
  });
  const tokenizer = await readFile(join(folder, "model/tokenizer.json"), "utf8");
  const tokenizerSha256 = createHash("sha256").update(tokenizer).digest("hex");
  return {
    folder,
    tokenizerSha256,
    addRollout: (index: number, turn: RecordedTurn) =>
      addRollout(ctx, { runId, index, tokenizerSha256, turn }),
  };
}

async function addRollout(
  ctx: TestContext,
  {
    runId,
    index,
    tokenizerSha256,
    turn,
  }: { runId: string; index: number; tokenizerSha256: string; turn: RecordedTurn },
): Promise<string> {
  const directory = `harbor_trials/tests/${runId}/step_1/r${index}`;
  const change = trialChange({ runId, step: 1, group: 0, index, cursor: index + 1, directory });
  const folder = join(ctx.config.dataDir, directory);
  await mkdir(folder, { recursive: true });
  const trajectory = trajectoryOf(change.sessionId, change.rolloutId, tokenizerSha256, turn);
  await writeFile(join(folder, "proxy_trajectory.json"), JSON.stringify(trajectory));
  await indexTrials(ctx, { changes: [change], cursor: index + 1 });
  return change.rolloutId;
}

function trajectoryOf(
  sessionId: string,
  rolloutId: string,
  tokenizerSha256: string,
  { promptIds, tokenIds, logprobs, version }: RecordedTurn,
): ProxyTrajectory {
  const at = "2026-01-01T00:00:00.000Z";
  const half = Math.ceil(promptIds.length / 2);
  const given = {
    ...{ kind: "given" as const, role: "user", reason: null, linkedFrom: null },
    message: { role: "user", content: "Repair it." },
  };
  return {
    ...{ format: TRAJECTORY_FORMAT, sessionId, rolloutId, attempt: 1, runId: null, taskId: null },
    ...{ groupId: null, step: 1, mode: "train", reward: { reward: 1 } },
    termination: "agent-finished",
    model: { name: "liverl", family: "qwen", tokenizerSha256, chatTemplateSha256: "" },
    nodes: [
      // Two nodes, so that the prompt has to be put together.
      { ...given, id: 0, parentId: null, tokenIds: promptIds.slice(0, half) },
      { ...given, id: 1, parentId: 0, tokenIds: promptIds.slice(half) },
      {
        ...{ id: 2, parentId: 1, kind: "sampled", role: "assistant", callId: 0 },
        message: { role: "assistant", content: "Done." },
        ...{ tokenIds, logprobs, policyVersions: tokenIds.map(() => version) },
        versionSpan: [version, version],
      },
    ],
    calls: [
      {
        ...{ id: 0, requestId: `${sessionId}-c0-0`, requestIds: [`${sessionId}-c0-0`] },
        ...{ dialect: "openai-chat", kind: "main", subagent: null, rewritten: false },
        ...{ promptNodeId: 1, sampledNodeId: 2, status: "done", stopReason: "length" },
        ...{ stopText: null, startedAt: at, sentAt: at, firstTokenAt: at, endedAt: at },
        sampling: { max_tokens: 16, temperature: 1, top_p: 1, seed: 7, stop_token_ids: [] },
        requested: {},
        usage: { promptTokens: promptIds.length, sampledTokens: tokenIds.length },
        ...{ fork: null, error: null },
      },
    ],
    segments: [
      {
        ...{ id: 0, path: [0, 1, 2], trainedNodes: [2], parentSegmentId: null },
        ...{ trainedTokens: tokenIds.length, trainable: true, reason: null },
      },
    ],
  };
}
