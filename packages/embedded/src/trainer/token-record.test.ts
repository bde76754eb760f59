import { mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedSpec } from "@liverl/contract/launch";
import type { RolloutResult } from "@liverl/contract/rollout";
import {
  type ReadBytes,
  readTrainedHeader,
  readTrainedRows,
} from "@liverl/contract/trained-tokens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newAdam } from "#learner/adam.ts";
import { Learner } from "#learner/learner.ts";
import { updatePolicy } from "#learner/policy-update.ts";
import type { RolloutSample } from "#learner/rollout-samples.ts";
import type { ModelConfig } from "#model/architecture.ts";
import { initialParameters } from "#model/parameters.ts";
import type { LossMode } from "#onnx/train-graph.ts";
import { forgetTokensAfter, tokenRecorder } from "#trainer/token-record.ts";
import type { TrainedBatch } from "#trainer/train-batch.ts";

const config: ModelConfig = {
  ...{ architectures: ["LiverlForCausalLM"], model_type: "liverl", vocab_size: 24 },
  ...{ hidden_size: 16, intermediate_size: 32, num_hidden_layers: 1, num_attention_heads: 2 },
  ...{ max_position_embeddings: 32, rope_theta: 10_000, rms_norm_eps: 1e-5, hidden_act: "relu" },
  ...{ tie_word_embeddings: false, torch_dtype: "float32", eos_token_id: 1, pad_token_id: 0 },
};
const specOf = (loss_mode: LossMode, trainer_mode: "sync" | "fully_async" = "sync") =>
  EmbeddedSpec.parse({
    ...{ project: "demo", name: "record", driver: "embedded", seed: 1 },
    algorithm: {
      ...{ adv_estimator: "grpo", trainer_mode, loss_mode, norm_adv_by_std_in_grpo: true },
      ...{ clip_ratio_low: 0.001, clip_ratio_high: 0.002, kl_loss_coef: 0, entropy_coeff: 0 },
    },
    batch: { train_batch_size: 2, n: 2 },
    optim: { lr: 1e-2, grad_clip: 1, ppo_epochs: 2 },
    model: { warmup_steps: 0 },
    rollout: { engines: 1, temperature: 0.8, max_tokens: 12, max_turns: 2, concurrency: 4 },
    trainer: {
      ...{ total_training_steps: 4, test_freq: 4, save_freq: 2, val_tasks: 8 },
      ...{ stop_at_val_reward: null, resume_from_path: null },
    },
  });
const sampleOf = (
  rolloutIndex: number,
  advantages: number[],
  positions: number[],
): RolloutSample => ({
  ...{ rolloutIndex, segmentId: 4 + rolloutIndex, ids: [3, 7, 2, 9, 14, 5, 20, 11], positions },
  ...{ sampled: positions.map(() => -3), versions: positions.map(() => 0), reward: 0 },
  ...{ advantages, returns: advantages },
});
const samples = [
  sampleOf(0, [1, 0.5, -2], [2, 3, 5]),
  sampleOf(1, [0, 0], [1, 4]),
  sampleOf(2, [-1, -1, -1, -1], [1, 2, 3, 6]),
];
const rollouts = samples.map((_, i) => ({ rolloutId: `r${i}`, sessionId: `r${i}-a1` }));

/** What the trainer's own parts make of the samples in some epochs, from the same start. */
async function train(lossMode: LossMode, epochs: number) {
  const parameters = initialParameters(config, 4);
  const learner = await Learner.open(config, parameters, 1, { lossMode, withFeatures: false });
  const { temperature } = specOf(lossMode).rollout;
  const scores = await learner.score(samples, temperature);
  const actor = await updatePolicy(learner, newAdam(parameters), samples, scores, null, {
    ...{ learningRate: 1e-2, clipNorm: 1, epochs, clipLow: 0.001, clipHigh: 0.002 },
    ...{ klCoefficient: 0, entropyCoefficient: 0, temperature },
  });
  const batch: TrainedBatch = {
    ...{ rollouts: rollouts as RolloutResult[], samples, scores, values: null, actor },
    ...{ critic: null, hasReference: false, isSynced: false },
  };
  return { learner, scores, batch, temperature };
}

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "liverl-record-"));
});
afterAll(() => rm(root, { recursive: true }));

const place = { step: 7, update: 1, version: 5, isSynced: false };
const silent = { warn: () => expect.fail("it was not recorded") };
const planOf = (spec: EmbeddedSpec, name: string) => ({
  ...{ runId: "run", attempt: 2, spec, trainedTokensDir: join(root, name) },
});

async function readBack(name: string) {
  const file = await open(join(root, name, "step_7.1.safetensors"));
  const read: ReadBytes = async (at, length) => {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  };
  const header = await readTrainedHeader(read);
  const columns = await readTrainedRows(read, header, [0, header.rows]);
  await file.close();
  return { update: header.update, columns };
}

describe.each(["vanilla", "gspo"] as const)("%s: the record of an update", (lossMode) => {
  test("agrees with what a second pass computes", async () => {
    const { batch, scores } = await train(lossMode, 2);
    await tokenRecorder(planOf(specOf(lossMode), lossMode), silent)(place, batch);
    const { update, columns } = await readBack(lossMode);
    expect(update).toMatchObject({
      ...{ runId: "run", attempt: 2, step: 7, update: 1, version: 5, isSynced: false, epochs: 2 },
      ...{ temperature: 0.8, ratioTo: "trainer", clip: { low: 0.001, high: 0.002 } },
      ratioOf: lossMode === "gspo" ? "sequence" : "token",
      segments: [
        { rolloutId: "r0", sessionId: "r0-a1", segmentId: 4, rows: [0, 3], outOfLoss: null },
        { rolloutId: "r1", segmentId: 5, rows: [3, 5], outOfLoss: "no-advantage" },
        { rolloutId: "r2", segmentId: 6, rows: [5, 9], outOfLoss: null },
      ],
    });
    expect([...columns.position]).toEqual([3, 4, 6, 2, 5, 2, 3, 4, 7]);
    expect([...columns.advantage]).toEqual([1, 0.5, -2, 0, 0, -1, -1, -1, -1]);
    expect(columns.value).toBeNull();
    expect(columns.trainer_log_prob).toEqual(flat(scores.logProbabilities));
    expect(columns.entropy).toEqual(flat(scores.entropies));

    // The last of two epochs sees the weights that one epoch made.
    const once = await train(lossMode, 1);
    const after = await once.learner.score(samples, once.temperature);
    const ratios = samples.map((_, i) => {
      const differences = [...after.logProbabilities[i]].map(
        (value, k) => value - once.scores.logProbabilities[i][k],
      );
      const mean = differences.reduce((a, b) => a + b, 0) / differences.length;
      return differences.map((one) => Math.exp(lossMode === "gspo" ? mean : one));
    });
    const [first, , third] = ratios;
    expect([...columns.ratio.subarray(3, 5)]).toEqual([Number.NaN, Number.NaN]);
    const recorded = [...columns.ratio.subarray(0, 3), ...columns.ratio.subarray(5)];
    [...first, ...third].forEach((ratio, row) => {
      expect(recorded[row]).toBeCloseTo(ratio, 5);
      expect(Math.abs(ratio - 1)).toBeGreaterThan(1e-4);
    });
    // Where min(r·A, clip(r)·A) is the clipped one, no gradient flows.
    const clipped = [0, 1, 2, 5, 6, 7, 8].filter((row) => {
      const [ratio, advantage] = [columns.ratio[row], columns.advantage[row]];
      const bounded = Math.min(Math.max(ratio, 1 - 0.001), 1 + 0.002);
      return ratio * advantage > bounded * advantage;
    });
    expect(clipped.length).toBeGreaterThan(0);
    expect([...columns.clipped].flatMap((one, row) => (one === 1 ? row : []))).toEqual(clipped);
  });
});

test("a step in which the critic trains alone has no ratio, and fully_async compares with the engines", async () => {
  const { batch } = await train("vanilla", 1);
  const values = samples.map(({ positions }) => positions.map((at) => at / 4));
  const spec = specOf("vanilla", "fully_async");
  await tokenRecorder(planOf(spec, "critic"), silent)(place, { ...batch, values, actor: null });
  const { update, columns } = await readBack("critic");
  expect(update.segments.map(({ outOfLoss }) => outOfLoss)).toEqual([
    ...["critic-warmup", "no-advantage", "critic-warmup"],
  ]);
  expect(update.ratioTo).toBe("rollout");
  expect([...columns.ratio].every(Number.isNaN)).toBe(true);
  expect([...columns.clipped]).toEqual(new Array(9).fill(0));
  expect(columns.value).toEqual(flat(values));
});

test("training goes on where a record can not be written, and it is logged", async () => {
  await writeFile(join(root, "a-file"), "");
  const told: unknown[] = [];
  const record = tokenRecorder(planOf(specOf("vanilla"), "a-file"), {
    warn: (...said: unknown[]) => told.push(said),
  });
  await record(place, (await train("vanilla", 1)).batch);
  expect(JSON.stringify(told)).toContain("not recorded");
});

test("a resume forgets what comes after its step, and nothing else", async () => {
  const folder = join(root, "later");
  await forgetTokensAfter(folder, 3);
  const { batch } = await train("vanilla", 1);
  const record = tokenRecorder(planOf(specOf("vanilla"), "later"), silent);
  for (const step of [2, 3, 4, 10]) await record({ ...place, step, update: 0 }, batch);
  await writeFile(join(folder, "step_notes.txt"), "");
  await forgetTokensAfter(folder, 3);
  expect((await readdir(folder)).sort()).toEqual([
    ...["step_2.0.safetensors", "step_3.0.safetensors", "step_notes.txt"],
  ]);
});

const flat = (lists: readonly Iterable<number>[]) =>
  Float32Array.from(lists.flatMap((list) => [...list]));
