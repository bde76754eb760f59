import { randomUUID } from "node:crypto";
import { access, chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { LaunchSpec } from "@liverl/contract/launch";
import { findRecorded, isAlive } from "@liverl/durable/process";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listCheckpoints } from "#checkpoints/list-checkpoints.ts";
import { cancelMerge } from "#checkpoints/merge/cancel-merge.ts";
import { mergeFiles } from "#checkpoints/merge/merge-files.ts";
import { Merger } from "#checkpoints/merge/merger.ts";
import { startMerge } from "#checkpoints/merge/start-merge.ts";
import { bringOrigin } from "#drivers/embedded/bring-origin.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { buildForkSpec } from "#forks/build-fork-spec.ts";
import { judgeFork } from "#forks/judge-fork.ts";
import { getRun } from "#runs/get-run.ts";
import { launchRun } from "#runs/launch-run.ts";
import { launchSpec, verlSpec } from "#testing/factories.ts";
import { OPERATOR_TOKEN, startTestApp, type TestApp } from "#testing/start-test-app.ts";
import { until } from "#testing/until.ts";
import { writeHfModel, writeVerlCheckpoint } from "#testing/verl-checkpoint.ts";

/**
 * Stands in for an interpreter with verl: a real process on the merger's own command line. What it does lies beside it:
 * `hold` (wait while it is there), `code` (how it ends), `model` (copied to the target).
 */
const PYTHON = `#!/usr/bin/env node
const { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const at = (name) => require("node:path").join(__dirname, name);
const after = (flag) => process.argv[process.argv.indexOf(flag) + 1];
appendFileSync(at("starts"), process.argv.slice(2).join(" ") + "\\n");
const end = (code) => { writeFileSync(after("--exit-file"), JSON.stringify({ code, endedAt: "now" })); process.exit(code); };
process.on("SIGTERM", () => end(143));
process.stdout.write("Loading 2 FSDP shards:  50%|█     | 1/2 [00:00<00:00, 1it/s]");
setInterval(() => {
  if (existsSync(at("hold"))) return;
  if (existsSync(at("model"))) cpSync(at("model"), after("--target_dir"), { recursive: true });
  if (existsSync(at("code"))) console.log("\\nRuntimeError: shards do not fit");
  end(existsSync(at("code")) ? Number(readFileSync(at("code"), "utf8")) : 0);
}, 20);
`;

let app: TestApp;
let ctx: TestApp["control"]["ctx"];
let merger: Merger;
let bin: string;
beforeAll(async () => {
  app = await startTestApp();
  ctx = app.control.ctx;
  ctx.wakeDrivers = () => merger.wake();
  // Outside of the data directory: launches take no interpreter from there.
  bin = join(await mkdtemp(join(tmpdir(), "liverl-venv-")), "bin");
});
beforeEach(async () => {
  await rm(bin, { recursive: true, force: true });
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "python"), PYTHON);
  await chmod(join(bin, "python"), 0o755);
  await writeHfModel(join(bin, "model"));
  merger = new Merger(ctx);
  merger.start();
  return () => merger.release();
});
afterAll(async () => {
  await app.close();
  await rm(dirname(bin), { recursive: true, force: true });
});

const launch = async (spec: LaunchSpec) =>
  (await launchRun(ctx, { spec, idempotencyKey: randomUUID() })).id;
async function verlRun(steps = [2]) {
  const id = await launch(verlSpec(join(bin, "..")));
  for (const step of steps)
    await writeVerlCheckpoint(runFiles(ctx.config.dataDir, id).checkpoints, step);
  return id;
}
async function embeddedRun() {
  const id = await launch(launchSpec({ name: "small" }));
  const folder = join(runFiles(ctx.config.dataDir, id).checkpoints, "global_step_2");
  await mkdir(folder, { recursive: true });
  for (const name of ["COMPLETE", "model.safetensors", "trainer_state.json"])
    await writeFile(join(folder, name), name);
  return { id, folder };
}
const row = async (runId: string, step = 2) => {
  const { checkpoints } = await listCheckpoints(ctx, { runId });
  const found = checkpoints.find((one) => one.step === step);
  if (!found) throw new Error(`no checkpoint ${step} of ${runId}`);
  return found;
};
const becomes = (runId: string, status: string) =>
  until(async () => {
    const found = await row(runId);
    return found.merge?.status === status ? found : null;
  }, 20_000);
const starts = () => readFile(join(bin, "starts"), "utf8").then((text) => text.trim().split("\n"));
const hold = () => writeFile(join(bin, "hold"), "");
const letGo = () => rm(join(bin, "hold"));
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
const download = (path: string, token = OPERATOR_TOKEN) =>
  fetch(`${app.base}/api/v1/runs/${path}`, { headers: { authorization: `Bearer ${token}` } });

test("a merge shows its progress, is done once however often it is asked for, and is downloaded", async () => {
  const id = await verlRun();
  expect((await row(id)).can).toMatchObject({ merge: true, forkResume: true });
  expect((await row(id)).can.download).toMatch(/Merge it/);
  await hold();
  await startMerge(ctx, { runId: id, step: 2 });
  await until(async () => (await row(id)).merge?.share === 0.5);
  expect((await row(id)).hf).toBeNull();
  await startMerge(ctx, { runId: id, step: 2 });
  await letGo();
  const done = await becomes(id, "done");
  expect(done.hf?.path).toBe(join(done.path, "hf"));
  expect(done.can).toMatchObject({ download: true, forkWeights: true });
  expect(await startMerge(ctx, { runId: id, step: 2 })).toEqual({ status: "done" });
  expect(await starts()).toHaveLength(1);
  expect((await starts())[0]).toContain(`merge --backend fsdp --local_dir ${done.path}/actor`);
  const answer = await download(`${id}/checkpoints/2.tar`);
  const archive = Buffer.from(await answer.arrayBuffer());
  expect(answer.headers.get("content-length")).toBe(String(archive.length));
  expect(archive.toString("latin1")).toContain(`${id}-step-2/SHA256SUMS`);
  expect((await download(`${id}/checkpoints/2.tar`, "x")).status).toBe(401);
});

test("code 0 without a whole model is a failure, and so is an error; a second try is free", async () => {
  const id = await verlRun();
  await rm(join(bin, "model/tokenizer.json"));
  await startMerge(ctx, { runId: id, step: 2 });
  expect((await becomes(id, "failed")).merge?.detail).toMatch(/no tokenizer/);
  const files = mergeFiles(ctx.config.dataDir, id, 2);
  expect([await exists(files.staged), await exists(files.merged)]).toEqual([false, false]);
  await writeFile(join(bin, "code"), "1");
  await startMerge(ctx, { runId: id, step: 2 });
  await until(async () => (await row(id)).merge?.detail?.includes("shards do not fit"));
  await rm(join(bin, "code"));
  await writeHfModel(join(bin, "model"));
  await startMerge(ctx, { runId: id, step: 2 });
  await becomes(id, "done");
});

test("a merge can be cancelled, while it waits and while it runs", async () => {
  const [first, second] = [await verlRun(), await verlRun()];
  await hold();
  await startMerge(ctx, { runId: first, step: 2 });
  await until(async () => (await row(first)).merge?.share === 0.5);
  await startMerge(ctx, { runId: second, step: 2 });
  expect((await row(second)).merge?.status).toBe("queued");
  await cancelMerge(ctx, { runId: second, step: 2 });
  expect((await row(second)).merge?.status).toBe("cancelled");
  const files = mergeFiles(ctx.config.dataDir, first, 2);
  const record = await findRecorded(ctx.config.processes, files.process);
  await cancelMerge(ctx, { runId: first, step: 2 });
  await becomes(first, "cancelled");
  expect(record && (await isAlive(record))).toBe(false);
  expect(await exists(files.staged)).toBe(false);
  await expect(cancelMerge(ctx, { runId: first, step: 2 })).rejects.toThrow(/No merge/);
});

test("a merger outlives control and is watched on; one that was killed is a failure", async () => {
  const id = await verlRun();
  const again = async () => {
    await merger.release();
    merger = new Merger(ctx);
  };
  await hold();
  await startMerge(ctx, { runId: id, step: 2 });
  await until(async () => (await row(id)).merge?.share === 0.5);
  await again();
  await letGo();
  merger.start();
  await becomes(id, "done");
  expect(await starts()).toHaveLength(1);
  const killed = await verlRun();
  await hold();
  await startMerge(ctx, { runId: killed, step: 2 });
  await until(async () => (await row(killed)).merge?.share === 0.5);
  await again();
  const files = mergeFiles(ctx.config.dataDir, killed, 2);
  const record = await findRecorded(ctx.config.processes, files.process);
  process.kill(-(record?.pid ?? 0), "SIGKILL");
  merger.start();
  expect((await becomes(killed, "failed")).merge?.detail).toMatch(/ended from outside/);
});

test("what can not be merged says why", async () => {
  const id = await verlRun();
  await rm(join((await row(id)).path, "actor/model_world_size_2_rank_1.pt"));
  await expect(startMerge(ctx, { runId: id, step: 2 })).rejects.toThrow(/1 of 2 shards/);
  expect((await row(id)).can.merge).toMatch(/1 of 2 shards/);
  const { id: embedded } = await embeddedRun();
  await expect(startMerge(ctx, { runId: embedded, step: 2 })).rejects.toThrow(/whole as it is/);
  await rm(bin, { recursive: true });
  const lost = await verlRun();
  await startMerge(ctx, { runId: lost, step: 2 });
  expect((await becomes(lost, "failed")).merge?.detail).toMatch(/can not be run/);
});

test("an embedded checkpoint is downloaded as it is, without what links lead to", async () => {
  const { id, folder } = await embeddedRun();
  await symlink("/etc/hostname", join(folder, "secret"));
  const archive = await (await download(`${id}/checkpoints/2.tar`)).text();
  expect(archive).toContain(`${id}-step-2/model.safetensors`);
  expect(archive).not.toContain("secret");
  expect((await download(`${id}/checkpoints/4.tar`)).status).toBe(404);
  expect((await download(`${id}/checkpoints/x.tar`)).status).toBe(400);
  expect((await download("..%2f..%2fetc/checkpoints/2.tar")).status).toBeGreaterThanOrEqual(400);
});

test("a fork of an embedded run knows its parent, and takes its beginning along", async () => {
  const { id, folder } = await embeddedRun();
  const spec = await buildForkSpec(ctx, { runId: id, step: 2, how: "resume" });
  const child = await launch({ ...spec, name: "child" });
  expect((await getRun(ctx, { id: child })).parent).toMatchObject({ id, step: 2, how: "resume" });
  const link = { id: child, step: 2, how: "resume" };
  expect((await getRun(ctx, { id })).forks).toMatchObject([link]);
  expect((await row(id)).forks).toMatchObject([link]);
  const files = runFiles(ctx.config.dataDir, child);
  if (spec.driver !== "embedded") throw new Error("the driver has changed");
  await bringOrigin(ctx.config.dataDir, child, spec, files);
  const own = join(files.checkpoints, "global_step_2");
  expect(await readFile(join(own, "COMPLETE"), "utf8")).toBe("COMPLETE");
  await writeFile(join(own, "COMPLETE"), "changed");
  expect(await readFile(join(folder, "COMPLETE"), "utf8")).toBe("COMPLETE");
  // Its parent may go; and what it has itself is not replaced.
  await rm(folder, { recursive: true });
  await bringOrigin(ctx.config.dataDir, child, spec, files);
  expect(await readFile(join(own, "COMPLETE"), "utf8")).toBe("changed");
  await expect(launch({ ...spec, name: "late" })).rejects.toThrow(/is gone/);
});

test("a fork of verl fits its shards, or is told how else", async () => {
  const id = await verlRun();
  const spec = await buildForkSpec(ctx, { runId: id, step: 2, how: "resume" });
  if (spec.driver !== "local-verl") throw new Error("the driver has changed");
  const fitting = { ...spec, layout: { ...spec.layout, n_gpus_per_node: 2 } };
  expect(await judgeFork(ctx, fitting)).toMatchObject({
    status: "pass",
    title: `Goes on from ${id}`,
  });
  const faster = { ...fitting, optim: { ...spec.optim, lr: 1e-3 } };
  expect(await judgeFork(ctx, faster)).toMatchObject({ status: "warn", field: "optim.lr" });
  const other = await judgeFork(ctx, spec);
  expect(other).toMatchObject({ status: "fail", fix: null });
  expect(other?.why).toMatch(/2 ranks wrote it, this run has 8.*Merge it/);
  const megatron = { ...fitting, engine: { ...spec.engine, name: "megatron" as const } };
  await expect(launch(megatron)).rejects.toThrow(/written by FSDP, and engine.name is megatron/);
  const short = { ...fitting, trainer: { ...fitting.trainer, total_training_steps: 2 } };
  expect((await judgeFork(ctx, short))?.fix).toMatchObject({ value: 4 });
  const stepsKey = "trainer.total_training_steps";
  const byOverride = await judgeFork(ctx, { ...fitting, overrides: { [stepsKey]: 2 } });
  expect(byOverride).toMatchObject({ status: "fail", title: "Nothing is left to train" });
  const deleting = { ...fitting, overrides: { "trainer.del_local_ckpt_after_load": true } };
  expect((await judgeFork(ctx, deleting))?.title).toMatch(/deleted/);
  const { path } = await row(id);
  const inside = { ...fitting, overrides: { "trainer.default_local_dir": join(path, "..") } };
  expect((await judgeFork(ctx, inside))?.title).toMatch(/parent's folder/);
  await expect(buildForkSpec(ctx, { runId: id, step: 2, how: "weights" })).rejects.toThrow(/merge/);
  await startMerge(ctx, { runId: id, step: 2 });
  await becomes(id, "done");
  expect((await judgeFork(ctx, spec))?.fix).toMatchObject({
    path: "model.path",
    value: `${path}/hf`,
  });
  const fresh = await buildForkSpec(ctx, { runId: id, step: 2, how: "weights" });
  const child = await launch({ ...fresh, name: "fresh" });
  expect((await getRun(ctx, { id: child })).parent).toMatchObject({ id, step: 2, how: "weights" });
});
