import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedSpec } from "@liverl/contract/launch";
import { hash32 } from "@liverl/contract/random";
import { TOOL_ANSWERS } from "@liverl/contract/repair-task";
import type { RolloutResult } from "@liverl/contract/rollout";
import { afterAll, beforeAll, expect, test } from "vitest";
import { replayUpdates } from "#audit/replay-updates.ts";
import { ChatEncoder } from "#chat/chat-encoder.ts";
import { DirectRollouts, type Episode } from "#direct/direct-rollouts.ts";
import { EngineCore } from "#engine/core/engine-core.ts";
import { Network } from "#engine/core/network.ts";
import { newAdam } from "#learner/adam.ts";
import { newCritic } from "#learner/value-head.ts";
import { ModelConfig } from "#model/architecture.ts";
import { copyParameters, initialParameters } from "#model/parameters.ts";
import { modelFiles, writeModelFolder } from "#model/write-model-folder.ts";
import { AsyncMode } from "#trainer/async-mode.ts";
import { loadCheckpoint, saveCheckpoint } from "#trainer/checkpoint-store.ts";
import { PeakFlops } from "#trainer/measure-peak.ts";
import { openBatchTools } from "#trainer/open-batch-tools.ts";
import type { RecordTokens } from "#trainer/sampling-mode.ts";
import { Stopwatch } from "#trainer/stopwatch.ts";
import { tokenRecorder } from "#trainer/token-record.ts";
import type { TrainedBatch } from "#trainer/train-batch.ts";
import { trainStep } from "#trainer/train-step.ts";
import { firstProgress, hashState, type TrainerState, versionOf } from "#trainer/trainer-state.ts";

const files = modelFiles();
const config = ModelConfig.parse(JSON.parse(files["config.json"]));
const encoder = new ChatEncoder({
  tokenizerText: files["tokenizer.json"],
  chatTemplate: files["chat_template.jinja"],
});
type Algorithm = "grpo" | "ppo" | "gspo";

function specOf(algorithm: Algorithm, trainer_mode: "sync" | "fully_async"): EmbeddedSpec {
  return EmbeddedSpec.parse({
    project: "demo",
    name: "resume",
    driver: "embedded",
    seed: 1,
    algorithm: {
      adv_estimator: algorithm === "ppo" ? "gae" : "grpo",
      loss_mode: algorithm === "gspo" ? "gspo" : "vanilla",
      trainer_mode,
      norm_adv_by_std_in_grpo: true,
      clip_ratio_low: 0.2,
      clip_ratio_high: 0.28,
      kl_loss_coef: 0,
      entropy_coeff: 0,
    },
    async: {
      staleness_threshold: 1,
      trigger_parameter_sync_step: 2,
      require_batches: 1,
      partial_rollout: true,
    },
    batch: { train_batch_size: 2, n: 2 },
    optim: { lr: 1e-3, grad_clip: 1, ppo_epochs: 2 },
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
}
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

async function openEngine() {
  const core = new EngineCore(await Network.open(config, 1), { slots: 8, cachedPrefixes: 8 });
  return { core, client: new DirectRollouts(core, encoder, config.eos_token_id, openEpisode) };
}

const toolsOf = (state: TrainerState, spec: EmbeddedSpec) =>
  openBatchTools({ runId: "run", spec, weightsDir: root }, config, state, new PeakFlops(1e9));

const noRecord: RecordTokens = async () => {};
/** Records as a run does, to a folder of its own. */
const recorderOf = (name: string, spec: EmbeddedSpec) =>
  tokenRecorder(
    { runId: "run", attempt: 1, spec, trainedTokensDir: join(root, `tokens-${name}`) },
    { warn: (fault: object) => expect.fail(JSON.stringify(fault)) },
  );

/** The real engine core and learner. */
async function liveOf(
  state: TrainerState,
  spec: EmbeddedSpec,
  steps: number,
  recordTokens = noRecord,
) {
  const { core, client } = await openEngine();
  const tools = { ...(await toolsOf(state, spec)), client, record: async () => {}, recordTokens };
  const trained: TrainedBatch[] = [];
  for (let i = 0; i < steps; i++) {
    await core.updateWeights(copyParameters(state.parameters), state.progress.step, "keep");
    trained.push(await trainStep(tools, state, new Stopwatch()));
  }
  return trained;
}

function freshState(spec: EmbeddedSpec): TrainerState {
  const parameters = initialParameters(config, 9);
  const progress = firstProgress(hash32("order 1"), 0);
  const critic = spec.algorithm.adv_estimator === "gae" ? newCritic(config.hidden_size, 2) : null;
  return { progress, parameters, adam: newAdam(parameters), critic };
}

const saved = (state: TrainerState, algorithm: string) =>
  saveCheckpoint(join(root, algorithm), join(root, "model"), state);

test.each(["grpo", "ppo", "gspo"] as const)(
  "%s: a run that was interrupted ends with the bits of one that was not",
  async (algorithm) => {
    const spec = specOf(algorithm, "sync");
    const whole = freshState(spec);
    const begin = hashState(whole);
    // Only this one is recorded: a record changes no bit.
    const trained = await liveOf(whole, spec, 4, recorderOf(algorithm, spec));
    const names = await readdir(join(root, `tokens-${algorithm}`));
    expect(names.sort()).toEqual([1, 2, 3, 4].map((step) => `step_${step}.0.safetensors`));
    expect(hashState(whole)).not.toBe(begin);
    expect(trained.some(({ actor }) => (actor?.gradientNorm ?? 0) > 0)).toBe(true);
    expect(trained.every(({ critic }) => (critic !== null) === (algorithm === "ppo"))).toBe(true);
    expect(whole.progress.maxLogprobDiff).toBeLessThan(1e-4);

    const first = freshState(spec);
    await liveOf(first, spec, 2);
    const { stateSha256 } = await saved(first, algorithm);
    const resumed = await loadCheckpoint(join(root, algorithm), 2);
    expect(resumed.stateSha256).toBe(stateSha256);
    await liveOf(resumed, spec, 2);
    expect(hashState(resumed)).toBe(hashState(whole));
  },
);

/** Fully-async training on the real engine core, which takes weights as the real engine does. Keeps what each update took. */
async function liveApart(state: TrainerState, spec: EmbeddedSpec, steps: number) {
  const { core, client } = await openEngine();
  const updates: { step: number; isSynced: boolean; groups: RolloutResult[][] }[] = [];
  const known = new Map<string, RolloutResult>();
  await core.updateWeights(copyParameters(state.parameters), versionOf(state.progress), "keep");
  const mode = new AsyncMode(
    {
      ...(await toolsOf(state, spec)),
      recordTokens: recorderOf(`${state.progress.step}-async`, spec),
      client: {
        runAll: async (requests) => {
          const results = await client.runAll(requests);
          for (const result of results) known.set(result.rolloutId, result);
          return results;
        },
        cancelUnfinished: async () => {},
      },
      record: async ({ step, isSynced, groups }) => {
        const of = (id: string) => known.get(id) ?? expect.fail(`no rollout ${id}`);
        updates.push({ step, isSynced, groups: groups.map((ids) => ids.map(of)) });
      },
    },
    state,
  );
  const metrics: Record<string, number>[] = [];
  for (let i = 0; i < steps; i++) {
    await mode.train(new Stopwatch());
    await core.updateWeights(copyParameters(state.parameters), versionOf(state.progress), "keep");
    metrics.push(mode.afterSync());
  }
  return { mode, updates, metrics };
}

test.each(["grpo", "ppo", "gspo"] as const)(
  "%s, fully_async: the recorded rollouts give the same weights again",
  async (algorithm) => {
    const spec = specOf(algorithm, "fully_async");
    const state = freshState(spec);
    const first = await liveApart(state, spec, 2);
    const untrained = first.mode.untrained();
    await first.mode.close();
    state.progress.untrained = untrained;
    const { stateSha256 } = await saved(state, `${algorithm}-async`);
    const resumed = await loadCheckpoint(join(root, `${algorithm}-async`), 2);
    expect(resumed.stateSha256).toBe(stateSha256);
    expect(resumed.progress.weightVersion).toBe(2);
    // Every task that was drawn has trained or waits: none is lost by the interruption.
    const trained = first.updates.reduce((sum, { groups }) => sum + groups.length, 0);
    expect(trained).toBe(8);
    expect(trained + untrained.length).toBe(resumed.progress.drawn);

    const second = await liveApart(resumed, spec, 2);
    await second.mode.close();
    expect(second.updates).toHaveLength(4);
    const begun = new Set(
      second.updates.flatMap(({ groups }) => groups.map(([one]) => one.rolloutId)),
    );
    for (const { index } of untrained.slice(0, 4))
      expect(
        [...begun].some((id) => id.includes(`.g${index}.`)),
        `task ${index}`,
      ).toBe(true);

    const checkpointsDir = join(root, `${algorithm}-async`);
    await saved(resumed, `${algorithm}-async`);
    const plan = {
      runId: "run",
      spec,
      checkpointsDir,
      modelDir: join(root, "model"),
      weightsDir: root,
    };
    const replay = await replayUpdates(plan, 2, 4, second.updates);
    expect(replay.updates).toBe(4);
    expect(replay.replayed).toBe(replay.saved);
    const other = await replayUpdates(plan, 2, 4, second.updates.slice(1));
    expect(other.replayed).not.toBe(other.saved);
    const last = second.metrics.at(-1) ?? {};
    expect(last["fully_async/count/current_param_version"]).toBe(4);
    expect(last["fully_async/static/max_required_samples"]).toBe(8);
  },
);
