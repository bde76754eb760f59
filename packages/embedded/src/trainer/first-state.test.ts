import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedSpec } from "@liverl/contract/launch";
import type { TrainerPlan } from "@liverl/contract/trainer";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newAdam } from "#learner/adam.ts";
import { newCritic } from "#learner/value-head.ts";
import { initialParameters } from "#model/parameters.ts";
import { type ModelFolder, readModelFolder } from "#model/read-model-folder.ts";
import { writeModelFolder } from "#model/write-model-folder.ts";
import { saveCheckpoint } from "#trainer/checkpoint-store.ts";
import { EventLog } from "#trainer/event-log.ts";
import { firstState } from "#trainer/first-state.ts";
import { firstProgress, versionOf } from "#trainer/trainer-state.ts";

let root: string;
let folder: ModelFolder;
const untrained = [{ index: 17, taskRef: "repair/5" }];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "liverl-first-state-"));
  await writeModelFolder(join(root, "model"));
  folder = await readModelFolder(join(root, "model"));
  // A fully-async run's checkpoint of step 4, whose weights are version 6.
  const parameters = initialParameters(folder.config, 1);
  const progress = { ...firstProgress(9, 0), step: 4, weightVersion: 6, drawn: 18, untrained };
  await saveCheckpoint(join(root, "origin"), join(root, "model"), {
    ...{ progress, parameters, adam: newAdam(parameters) },
    critic: newCritic(folder.config.hidden_size, 3),
  });
});
afterAll(() => rm(root, { recursive: true }));

/** What a run of this algorithm and mode begins from, where weights of these versions are there already. */
async function begin(
  name: string,
  { adv_estimator, trainer_mode }: { adv_estimator: string; trainer_mode: string },
  versions: number[],
) {
  const at = (part: string) => join(root, name, part);
  await cp(join(root, "origin"), at("checkpoints"), { recursive: true });
  await mkdir(at("weights"), { recursive: true });
  for (const version of versions) await writeFile(at(`weights/v${version}.safetensors`), "");
  const spec = EmbeddedSpec.parse({
    ...{ project: "demo", name: "next", driver: "embedded", seed: 1 },
    algorithm: {
      ...{ adv_estimator, trainer_mode, norm_adv_by_std_in_grpo: true },
      ...{ clip_ratio_low: 0.2, clip_ratio_high: 0.28, kl_loss_coef: 0, entropy_coeff: 0 },
    },
    batch: { train_batch_size: 2, n: 2 },
    optim: { lr: 1e-3, grad_clip: 1, ppo_epochs: 1 },
    model: { warmup_steps: 0 },
    rollout: { engines: 1, temperature: 1, max_tokens: 12, max_turns: 2, concurrency: 4 },
    trainer: {
      ...{ total_training_steps: 8, test_freq: 4, save_freq: 2, val_tasks: 8 },
      ...{ stop_at_val_reward: null, resume_from_path: null },
    },
  });
  const plan: TrainerPlan = {
    ...{ runId: "run", spec, attempt: 1, resumeFrom: "latest" },
    ...{
      metricsPath: at("m"),
      eventsPath: at("e"),
      commandsPath: at("c"),
      updatesPath: at("u"),
      trainedTokensDir: at("t"),
    },
    ...{
      checkpointsDir: at("checkpoints"),
      weightsDir: at("weights"),
      modelDir: join(root, "model"),
    },
    ...{ warmupDir: at("warmup"), resultPath: at("r"), engines: [], engineKeyPath: at("k") },
    runner: { url: "http://127.0.0.1:9", tokenPath: at("t") },
  };
  const events = await EventLog.open(plan.eventsPath, 1);
  const log = pino({ level: "silent" });
  const { state } = await firstState(plan, folder, { events, log, threads: 1 });
  await events.file.close();
  return state;
}

test("a new life of a fully-async run never writes a version that another one wrote", async () => {
  const mode = { adv_estimator: "gae", trainer_mode: "fully_async" };
  const untouched = await begin("same", mode, [0, 5, 6]);
  expect(versionOf(untouched.progress)).toBe(6);
  expect(untouched.progress.untrained).toEqual(untrained);
  expect(untouched.critic).toEqual(newCritic(folder.config.hidden_size, 3));
  const later = await begin("later", mode, [6, 7, 12]);
  expect(versionOf(later.progress)).toBe(13);
  expect(later.progress.step).toBe(4);
});

test("a run in another mode counts versions by steps and has nothing waiting", async () => {
  const state = await begin("sync", { adv_estimator: "gae", trainer_mode: "sync" }, [6, 7]);
  expect(versionOf(state.progress)).toBe(4);
  expect(state.progress.untrained).toEqual([]);
});

test("a value head comes and goes with the algorithm", async () => {
  const grpo = await begin("grpo", { adv_estimator: "grpo", trainer_mode: "sync" }, []);
  expect(grpo.critic).toBeNull();
});
