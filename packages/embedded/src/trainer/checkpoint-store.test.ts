import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newAdam } from "#learner/adam.ts";
import { ModelConfig } from "#model/architecture.ts";
import { initialParameters } from "#model/parameters.ts";
import { modelFiles, writeModelFolder } from "#model/write-model-folder.ts";
import { listCheckpointSteps, loadCheckpoint, saveCheckpoint } from "#trainer/checkpoint-store.ts";
import { hashState, type TrainerState } from "#trainer/trainer-state.ts";

let root: string;
let checkpoints: string;
let model: string;
let state: TrainerState;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "liverl-checkpoints-"));
  checkpoints = join(root, "checkpoints");
  model = join(root, "model");
  await mkdir(checkpoints);
  await writeModelFolder(model);
  const parameters = initialParameters(
    ModelConfig.parse(JSON.parse(modelFiles()["config.json"])),
    3,
  );
  const adam = newAdam(parameters);
  adam.updates = 7;
  for (const { values } of adam.mean.values()) values.fill(0.1);
  const progress = {
    step: 7,
    adamUpdates: 7,
    taskRandomState: 12345,
    heldOutBefore: 0.25,
    rollouts: 448,
    calls: 1400,
    tokens: 50_000,
    maxLogprobDiff: 1e-6,
    reachedGoal: false,
    warmupSeconds: 12,
  };
  state = { progress, parameters, adam };
});
afterAll(() => rm(root, { recursive: true }));

test("what was saved comes back, bit for bit", async () => {
  const saved = await saveCheckpoint(checkpoints, model, state);
  expect(saved.stateSha256).toBe(hashState(state));
  const loaded = await loadCheckpoint(checkpoints, 7);
  expect(loaded.stateSha256).toBe(saved.stateSha256);
  expect(loaded.progress).toEqual(state.progress);
  expect([...loaded.parameters.keys()].sort()).toEqual([...state.parameters.keys()].sort());
  expect(await readdir(saved.path)).toContain("tokenizer.json");
  expect(
    (await readFile(join(checkpoints, "latest_checkpointed_iteration.txt"), "utf8")).trim(),
  ).toBe("7");
});

test("only whole checkpoints are offered, the newest last", async () => {
  await saveCheckpoint(checkpoints, model, { ...state, progress: { ...state.progress, step: 10 } });
  await mkdir(join(checkpoints, "global_step_11"));
  await mkdir(join(checkpoints, ".global_step_12.tmp"));
  expect(await listCheckpointSteps(checkpoints)).toEqual([7, 10]);
  expect(await listCheckpointSteps(join(root, "nowhere"))).toEqual([]);
});

test("one flipped bit is found out", async () => {
  const path = join(checkpoints, "global_step_7", "optimizer.safetensors");
  const bytes = await readFile(path);
  bytes[bytes.length - 1] ^= 1;
  await writeFile(path, bytes);
  await expect(loadCheckpoint(checkpoints, 7)).rejects.toThrow(
    /is damaged.*Resume from an earlier checkpoint/,
  );
});
