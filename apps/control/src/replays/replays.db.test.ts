import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ReplayView, StartReplay } from "@liverl/contract/replay";
import { findRecorded, isAlive } from "@liverl/durable/process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DiskRoom } from "#archives/disk-room.ts";
import { importRun } from "#archives/import-run.ts";
import { packArchive } from "#archives/pack-archive.ts";
import { getGroup } from "#groups/get-group.ts";
import { cancelReplay } from "#replays/cancel-replay.ts";
import { getReplay, listReplays } from "#replays/get-replay.ts";
import { listReplayChoices } from "#replays/list-choices.ts";
import { REPLAY_ENGINE, ReplayEngine } from "#replays/replay-engine.ts";
import { Replayer } from "#replays/replayer.ts";
import { startReplay } from "#replays/start-replay.ts";
import { viewReplay } from "#replays/view-replay.ts";
import { listRollouts } from "#rollouts/list-rollouts.ts";
import { ListRollouts } from "#rollouts/list-rollouts.types.ts";
import { getStep } from "#steps/get-step.ts";
import {
  buildTestContext,
  type TestContext,
  type TestControl,
} from "#testing/build-test-context.ts";
import { addCheckpointedRun } from "#testing/checkpointed-run.ts";
import { launchSpec } from "#testing/factories.ts";
import { startProxy } from "#testing/start-proxy.ts";
import { until } from "#testing/until.ts";

const PROMPT = [10, 20, 30, 40, 50, 60, 70];
const RUN = "replayed";
let control: TestControl;
let ctx: TestContext;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let run: Awaited<ReturnType<typeof addCheckpointedRun>>;
let replayer: Replayer;
let rolloutId: string;

beforeAll(async () => {
  control = await buildTestContext();
  ctx = { ...control.ctx, wakeDrivers: () => replayer.wake() };
  proxy = await startProxy(ctx.config);
  run = await addCheckpointedRun(ctx, RUN);
  rolloutId = await run.addRollout(0, {
    ...{ promptIds: PROMPT, tokenIds: [5, 6, 7, 8], logprobs: [-1, -2, -3, -4], version: 1 },
  });
  replayer = new Replayer(ctx);
  replayer.start();
});
afterAll(async () => {
  await replayer.stop();
  await proxy.stop();
  await control.close();
});

const checkpoint = (step: number) => ({ kind: "checkpoint", runId: RUN, step });
const start = (change: object) =>
  startReplay(ctx, StartReplay.parse({ rolloutId, turn: 1, weights: checkpoint(8), ...change }));
async function ended(id: string): Promise<ReplayView> {
  return until(async () => {
    const view = await getReplay(ctx, { id });
    return view.endedAt !== null && view;
  });
}
const replay = async (change: object) => ended((await start(change)).id);

test("a turn is sampled n times from its recorded ids with a checkpoint, with where it came from", async () => {
  const view = await replay({ n: 3, temperature: 0.9 });
  expect(view).toMatchObject({
    ...{ status: "done", error: null, sampled: 3, n: 3, trains: false, actor: "test" },
    ...{ rolloutId, runId: RUN, segmentId: 0, nodeId: 2, turn: 1, promptTokens: 7 },
    ...{ weights: checkpoint(8), weightsSha256: "sha-of-odd" },
    sampling: { temperature: 0.9, top_p: 1, max_tokens: 16, stop_token_ids: [] },
    original: { tokens: { ids: [5, 6, 7, 8], logprobs: [-1, -2, -3, -4] }, meanLogprob: -2.5 },
  });
  expect(view.original.scores).toHaveLength(4);
  for (const { tokens, meanLogprob } of view.samples) {
    expect(tokens.ids.length).toBeGreaterThan(0);
    expect(tokens.ids.length).toBeLessThanOrEqual(16);
    expect(tokens.logprobs).toHaveLength(tokens.ids.length);
    expect(new Set(tokens.versions)).toEqual(new Set([8]));
    expect(meanLogprob).toBeLessThan(0);
  }
  // Seeds differ by completion.
  const texts = view.samples.map(({ tokens }) => tokens.ids.join());
  expect(new Set(texts).size).toBeGreaterThan(1);
  // The engine was given the recorded ids and nothing else.
  const log = await readFile(join(ctx.config.dataDir, "replay-engine/engine-0.jsonl"), "utf8");
  const asked = log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ requestId }) => /-\d+-0$/.test(requestId));
  expect(asked.map(({ promptIds }) => promptIds)).toEqual([PROMPT, PROMPT, PROMPT]);
});

test("the weights that sampled a turn give it the log-probs that were recorded, others do not", async () => {
  const { samples } = await replay({ n: 1 });
  const { ids: tokenIds, logprobs } = samples[0]!.tokens;
  const again = await run.addRollout(1, {
    ...{ promptIds: PROMPT, tokenIds, logprobs: logprobs!, version: 8 },
  });
  const same = await replay({ rolloutId: again, n: 1 });
  const others = await replay({ rolloutId: again, n: 1, weights: checkpoint(4) });
  const farthest = (scores: (number | null)[] | null) =>
    Math.max(...scores!.map((score, at) => Math.abs(score! - logprobs![at]!)));
  expect(farthest(same.original.scores)).toBeLessThan(1e-4);
  expect(farthest(others.original.scores)).toBeGreaterThan(0.01);
  expect(others.samples[0]!.tokens.versions![0]).toBe(4);
});

test("an end of turn is called alike for the original and its completions", async () => {
  const { id } = await replay({ n: 1 });
  const row = await ctx.db.replay.findUniqueOrThrow({ where: { id }, include: { samples: true } });
  const original = { ...(row.original as object), stopReason: "tool_calls" };
  expect(viewReplay({ ...row, original }, null).original.stopReason).toBe("stop");
});

test("nothing that trains or counts sees a replay", async () => {
  const seen = async () => ({
    rollouts: await listRollouts(ctx, ListRollouts.parse({ runId: RUN })),
    group: await getGroup(ctx, { runId: RUN, groupId: `${RUN}.s1.g0` }),
    step: await getStep(ctx, { runId: RUN, step: 1, mode: "train" }),
    series: (await ctx.pool.query("SELECT * FROM series ORDER BY id")).rows,
    rows: (await ctx.pool.query("SELECT * FROM rollout ORDER BY rollout_id")).rows,
    events: await ctx.db.runEvent.count(),
    trials: await readdir(join(ctx.config.dataDir, "harbor_trials"), { recursive: true }),
    sessions: await readdir(join(ctx.config.dataDir, "sessions")).catch(() => []),
  });
  const before = await seen();
  const { id, sampled } = await replay({ n: 2 });
  expect(sampled).toBe(2);
  expect(await seen()).toEqual(before);
  await expect(
    ctx.pool.query("UPDATE replay SET trains = true WHERE id = $1", [id]),
  ).rejects.toThrow(/replay_never_trains/);
});

test("a turn's choices name its checkpoints, and its replays are listed", async () => {
  const choices = await listReplayChoices(ctx, { rolloutId, turn: 1 });
  expect(choices).toMatchObject({
    ...{ promptTokens: 7, tokens: 4, noCheckpoint: null },
    sampling: { temperature: 1, max_tokens: 16 },
    checkpoints: [{ runId: RUN, step: 8 }, { step: 4 }],
  });
  const { replays } = await listReplays(ctx, { rolloutId });
  expect(replays).toEqual(choices.replays);
  expect(replays.length).toBeGreaterThan(1);
  expect(new Set(replays.map((one) => one.rolloutId))).toEqual(new Set([rolloutId]));
});

test("what can not work is refused at once, in words", async () => {
  const other = join(ctx.config.dataDir, "runs/other");
  await cp(run.folder, other, { recursive: true });
  await writeFile(join(other, "checkpoints/global_step_8/tokenizer.json"), "{}");
  const row = { project: "tests", status: "succeeded", spec: launchSpec(), color: 1 };
  await ctx.db.run.create({ data: { ...row, id: "other", name: "other", driver: "embedded" } });
  await ctx.db.run.create({ data: { ...row, id: "big", name: "big", driver: "local-verl" } });
  const refused = (change: object) => start(change).catch((error: unknown) => error);
  const says = (code: string, words: RegExp) => ({
    ...{ code, userMessage: expect.stringMatching(words) },
  });
  const of = (runId: string, step = 8) => ({ weights: { kind: "checkpoint", runId, step } });
  const at = (url: string) => ({ weights: { kind: "engine", url } });
  expect(await refused({ turn: 2 })).toMatchObject(says("NOT_FOUND", /its turns are 1 to 1/));
  expect(await refused({ rolloutId: "none" })).toMatchObject(says("NOT_FOUND", /no rollout none/));
  expect(await refused(of(RUN, 5))).toMatchObject(says("NOT_FOUND", /no checkpoint of step 5/));
  expect(await refused(of("other"))).toMatchObject(says("CONFLICT", /another tokenizer/));
  expect(await refused(of("big"))).toMatchObject(says("CONFLICT", /serve this one with vLLM/));
  expect(await refused({ maxTokens: 5_000 })).toMatchObject(says("BAD_REQUEST", /there is room/));
  expect(await refused(at("http://169.254.169.254/"))).toMatchObject(says("FORBIDDEN", /keys/));
  expect(StartReplay.safeParse({ rolloutId, turn: 1, ...at("file:///x") }).success).toBe(false);
  expect(await ctx.db.replay.count({ where: { status: "failed" } })).toBe(0);
});

test("an engine that is not there, and a run without engines, fail with what to do", async () => {
  const away = await replay({ weights: { kind: "engine", url: "http://127.0.0.1:9" } });
  expect(away).toMatchObject({ status: "failed", sampled: 0 });
  expect(away.error).toMatch(/No engine at http:\/\/127\.0\.0\.1:9 answers: start it/);
  const live = await replay({ weights: { kind: "live", runId: RUN } });
  expect(live.error).toMatch(/has no engines here now: choose a checkpoint/);
});

test("one that is cancelled ends, and can not be cancelled twice", async () => {
  const { id } = await start({ n: 16 });
  await cancelReplay(ctx, { id });
  expect((await ended(id)).status).toBe("cancelled");
  await expect(cancelReplay(ctx, { id })).rejects.toMatchObject({ code: "CONFLICT" });
  await expect(cancelReplay(ctx, { id: "none" })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("after a death of control its engine is ended, and a replay goes on with what it had", async () => {
  const whole = await replay({ n: 3 });
  await replayer.stop();
  // As a kill leaves it: under way, one completion there, an engine alive and recorded.
  await new ReplayEngine(ctx, 600_000).serve({ runId: RUN, step: 4 }, AbortSignal.timeout(60_000));
  const record = () => findRecorded(ctx.config.processes, REPLAY_ENGINE);
  const left = await until(record);
  expect(await isAlive(left)).toBe(true);
  await ctx.db.replaySample.deleteMany({ where: { replayId: whole.id, index: { gt: 0 } } });
  await ctx.db.replay.update({
    where: { id: whole.id },
    data: { status: "sampling", endedAt: null },
  });
  replayer = new Replayer(ctx, { idleMs: 500 });
  replayer.start();
  const again = await ended(whole.id);
  expect(again.samples.map(({ tokens }) => tokens.ids)).toEqual(
    whole.samples.map(({ tokens }) => tokens.ids),
  );
  expect(await isAlive(left)).toBe(false);
  // It is ended once nobody has used it for a while, and its record with it.
  await until(async () => (await record()) === null);
});

test("replays come with their run's archive, and its pages are as they were", async () => {
  const { replays } = await listReplays(ctx, { rolloutId });
  const mine = replays.filter(({ status }) => status === "done");
  expect(mine.length).toBeGreaterThan(0);
  // One that is under way has no end yet: it stays behind.
  const row = await ctx.db.replay.findFirstOrThrow({ where: { id: mine[0]!.id } });
  await ctx.db.replay.create({
    data: {
      ...row,
      ...{ id: "f".repeat(16), status: "sampling", endedAt: null },
      ...{ weights: row.weights!, sampling: row.sampling!, original: row.original!, scores: [] },
    },
  });
  const there = await buildTestContext();
  const archive = await packArchive(ctx, { runId: RUN, checkpoints: false });
  expect(await importRun(there.ctx, archive, new DiskRoom())).toMatchObject({ id: RUN });
  await ctx.db.replay.delete({ where: { id: "f".repeat(16) } });
  expect(await there.ctx.db.replay.count()).toBe(await ctx.db.replay.count());
  expect((await listReplays(there.ctx, { rolloutId })).replays).toEqual(replays);
  for (const { id } of mine) {
    const view = await getReplay(there.ctx, { id });
    expect(view).toEqual(await getReplay(ctx, { id }));
    expect(view.samples.length).toBe(view.n);
  }
  await there.close();
});
