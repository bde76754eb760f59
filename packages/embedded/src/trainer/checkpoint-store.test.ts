import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newAdam } from "#learner/adam.ts";
import { newCritic } from "#learner/value-head.ts";
import { ModelConfig } from "#model/architecture.ts";
import { initialParameters } from "#model/parameters.ts";
import { modelFiles, writeModelFolder } from "#model/write-model-folder.ts";
import { listCheckpointSteps, loadCheckpoint, saveCheckpoint } from "#trainer/checkpoint-store.ts";
import { firstProgress, hashState, type TrainerState } from "#trainer/trainer-state.ts";

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
    ...firstProgress(12345, 12),
    step: 7,
    adamUpdates: 7,
    heldOutBefore: 0.25,
    rollouts: 448,
    maxLogprobDiff: 1e-6,
  };
  state = { progress, parameters, adam, critic: null };
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

test("the value head, its optimizer and the tasks that wait are part of the state", async () => {
  const critic = newCritic(64, 1);
  critic.adam.updates = 16;
  for (const { values } of critic.adam.square.values()) values.fill(0.25);
  const progress = {
    ...state.progress,
    step: 8,
    weightVersion: 11,
    untrained: [{ index: 40, taskRef: "repair/7" }],
  };
  const whole = { ...state, progress, critic };
  const saved = await saveCheckpoint(checkpoints, model, whole);
  const loaded = await loadCheckpoint(checkpoints, 8);
  expect(loaded.progress).toEqual(progress);
  expect(loaded.critic).toEqual(critic);
  expect(hashState(loaded)).toBe(saved.stateSha256);
  const changes: TrainerState[] = [
    { ...whole, critic: null },
    { ...whole, critic: newCritic(64, 2) },
    { ...whole, progress: { ...progress, untrained: [] } },
  ];
  for (const changed of changes) expect(hashState(changed)).not.toBe(saved.stateSha256);
  await rm(join(checkpoints, "global_step_8"), { recursive: true });
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
