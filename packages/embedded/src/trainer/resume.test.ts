import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedSpec } from "@liverl/contract/launch";
import { hash32 } from "@liverl/contract/random";
import { TOOL_ANSWERS } from "@liverl/contract/repair-task";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChatEncoder } from "#chat/chat-encoder.ts";
import { DirectRollouts, type Episode } from "#direct/direct-rollouts.ts";
import { EngineCore } from "#engine/core/engine-core.ts";
import { Network } from "#engine/core/network.ts";
import { newAdam } from "#learner/adam.ts";
import { Learner } from "#learner/learner.ts";
import { ModelConfig } from "#model/architecture.ts";
import { copyParameters, initialParameters } from "#model/parameters.ts";
import { modelFiles, writeModelFolder } from "#model/write-model-folder.ts";
import { loadCheckpoint, saveCheckpoint } from "#trainer/checkpoint-store.ts";
import { Stopwatch } from "#trainer/stopwatch.ts";
import { trainStep } from "#trainer/train-step.ts";
import { hashState, type TrainerState } from "#trainer/trainer-state.ts";

const files = modelFiles();
const config = ModelConfig.parse(JSON.parse(files["config.json"]));
const encoder = new ChatEncoder({
  tokenizerText: files["tokenizer.json"],
  chatTemplate: files["chat_template.jinja"],
});
const spec = EmbeddedSpec.parse({
  project: "demo",
  name: "resume",
  driver: "embedded",
  seed: 1,
  algorithm: {
    adv_estimator: "grpo",
    trainer_mode: "sync",
    norm_adv_by_std_in_grpo: true,
    clip_ratio_low: 0.2,
    clip_ratio_high: 0.28,
    kl_loss_coef: 0,
    entropy_coeff: 0,
  },
  batch: { train_batch_size: 2, n: 2 },
  optim: { lr: 1e-3, grad_clip: 1, ppo_epochs: 1 },
  model: { warmup_steps: 0 },
  rollout: { engines: 1, temperature: 1, max_tokens: 12, max_turns: 2, concurrency: 4 },
  trainer: {
    total_training_steps: 4,
    test_freq: 4,
    save_freq: 2,
    val_tasks: 8,
    stop_at_val_reward: null,
    resume_from_path: null,
  },
});
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "liverl-resume-"));
  await writeModelFolder(join(root, "model"));
});
afterAll(() => rm(root, { recursive: true }));

/** Stands in for the work on a task: the reward is drawn by rollout id, because an untrained policy earns none. */
async function openEpisode(_: unknown, rolloutId: string): Promise<Episode> {
  const episode = {
    turns: 0,
    take: async () => (++episode.turns < 2 ? TOOL_ANSWERS.badCall : null),
    finish: async () => hash32(rolloutId) % 2,
  };
  return episode;
}

/** The real engine core and learner. */
async function liveOf(state: TrainerState, steps: number): Promise<Record<string, number>[]> {
  const core = new EngineCore(await Network.open(config, 1), { slots: 8, cachedPrefixes: 8 });
  const client = new DirectRollouts(core, encoder, config.eos_token_id, openEpisode);
  const learner = await Learner.open(config, state.parameters, 1);
  const logged: Record<string, number>[] = [];
  for (let i = 0; i < steps; i++) {
    await core.updateWeights(copyParameters(state.parameters), state.progress.step, "keep");
    logged.push(
      await trainStep(
        { runId: "run", spec, config, client, learner, reference: null, peakFlops: 1e9 },
        state,
        new Stopwatch(),
      ),
    );
  }
  return logged;
}

function freshState(): TrainerState {
  const parameters = initialParameters(config, 9);
  const progress = {
    step: 0,
    adamUpdates: 0,
    taskRandomState: hash32("order 1"),
    heldOutBefore: null,
    rollouts: 0,
    calls: 0,
    tokens: 0,
    maxLogprobDiff: 0,
    reachedGoal: false,
    warmupSeconds: 0,
  };
  return { progress, parameters, adam: newAdam(parameters) };
}

test("a run that was interrupted ends with the bits of one that was not", async () => {
  const whole = freshState();
  const begin = hashState(whole);
  const logged = await liveOf(whole, 4);
  expect(hashState(whole)).not.toBe(begin);
  expect(logged.some((metrics) => metrics["actor/grad_norm"] > 0)).toBe(true);
  expect(whole.progress.maxLogprobDiff).toBeLessThan(1e-4);

  const first = freshState();
  await liveOf(first, 2);
  await saveCheckpoint(root, join(root, "model"), first);
  const resumed = await loadCheckpoint(root, 2);
  await liveOf(resumed, 2);
  expect(hashState(resumed)).toBe(hashState(whole));
});
