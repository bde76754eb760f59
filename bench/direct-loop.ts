import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { hash32, Random } from "@liverl/contract/random";
import { drawRepairTask, type RepairTask } from "@liverl/contract/repair-task";
import type { RolloutRequest } from "@liverl/contract/rollout";
import { ChatEncoder } from "@liverl/embedded/chat/chat-encoder";
import { DirectRollouts } from "@liverl/embedded/direct/direct-rollouts";
import { EngineCore } from "@liverl/embedded/engine/core/engine-core";
import { Network } from "@liverl/embedded/engine/core/network";
import { newAdam } from "@liverl/embedded/learner/adam";
import { Learner } from "@liverl/embedded/learner/learner";
import { updatePolicy } from "@liverl/embedded/learner/policy-update";
import {
  groupAdvantages,
  type RolloutSample,
  rolloutSamples,
} from "@liverl/embedded/learner/rollout-samples";
import { newCritic, ValueHead } from "@liverl/embedded/learner/value-head";
import { WARM_UP, warmUp } from "@liverl/embedded/learner/warm-up";
import { ModelConfig } from "@liverl/embedded/model/architecture";
import { copyParameters, initialParameters } from "@liverl/embedded/model/parameters";
import { modelFiles } from "@liverl/embedded/model/write-model-folder";
import { decodeSafetensors } from "@liverl/embedded/safetensors/decode-safetensors";
import { encodeSafetensors } from "@liverl/embedded/safetensors/encode-safetensors";
import { selectParameters } from "@liverl/embedded/safetensors/read-parameters";
import { estimateByValues } from "@liverl/embedded/trainer/estimate-advantages";
import { openRepairWork } from "./repair-work.ts";

// The whole loop in one process: the same engine core, learner, sandboxes, tools and verifier, without HTTP, proxy, journal
// and database.
// It is what the full path is measured against, and the place to try hyperparameters. Prints one JSON line a step.
const OPTIONS = {
  seed: 1,
  warmup: 700,
  good: WARM_UP.goodShare,
  groups: 8,
  n: 8,
  lr: 1e-3,
  epochs: 2,
  entropy: 0,
  /** Bounds of the ratio; gspo's are for whole sequences. */
  low: 0.2,
  high: 0.28,
  lam: 1,
  criticLr: 1e-2,
  criticEpochs: 8,
  steps: 100,
  every: 5,
  tasks: 64,
  goal: 0.95,
  threads: 1,
  /** 0 holds tasks in memory instead of in sandboxes of files. */
  files: 1,
};
type Option = keyof typeof OPTIONS;
const names = Object.keys(OPTIONS) as Option[];
const words: Record<string, string | undefined> = parseArgs({
  options: Object.fromEntries(
    [...names, "weights", "save", "algorithm"].map((name) => [name, { type: "string" as const }]),
  ),
}).values;
const given = (name: Option) => Number(words[name] ?? OPTIONS[name]);

const files = modelFiles();
const config = ModelConfig.parse(JSON.parse(files["config.json"]));
const encoder = new ChatEncoder({
  tokenizerText: files["tokenizer.json"],
  chatTemplate: files["chat_template.jinja"],
});
const seed = given("seed");
const start = words.weights;
const parameters =
  start === undefined
    ? initialParameters(config, hash32(`parameters ${seed}`))
    : selectParameters(decodeSafetensors(await readFile(start)), config);
/** grpo, ppo or gspo. */
const algorithm = words.algorithm ?? "grpo";
const learner = await Learner.open(config, parameters, given("threads"), {
  lossMode: algorithm === "gspo" ? "gspo" : "vanilla",
  withFeatures: algorithm === "ppo",
});
const critic = algorithm === "ppo" ? newCritic(config.hidden_size, seed) : null;
const valueHead = critic && (await ValueHead.open(critic, config.hidden_size, given("threads")));
const core = new EngineCore(await Network.open(config, 1), { slots: 64, cachedPrefixes: 256 });
const work = await openRepairWork({ maxTurns: 5, files: given("files") === 1 });
const rollouts = new DirectRollouts(core, encoder, config.eos_token_id, work.open);
const began = performance.now();
const say = (record: Record<string, unknown>) => {
  const wallS = +((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${JSON.stringify({ ...record, wallS })}\n`);
};

function requests(
  label: string,
  step: number,
  tasks: readonly RepairTask[],
  n: number,
): RolloutRequest[] {
  return tasks.flatMap((task, g) =>
    Array.from({ length: n }, (_, i): RolloutRequest => {
      const groupId = `direct-${seed}.${label}.g${g}`;
      return {
        rolloutId: `${groupId}.r${i}`,
        runId: `direct-${seed}`,
        groupId,
        taskRef: task.ref,
        mode: "train",
        step,
        sampling: { temperature: 1, max_tokens: 48 },
        outputs: "all",
        routedExperts: false,
      };
    }),
  );
}

const heldOut = new Random(hash32(`held-out ${seed}`));
const evaluationTasks = Array.from({ length: given("tasks") }, () => drawRepairTask(heldOut, true));
const mean = (rewards: readonly number[]) =>
  rewards.reduce((sum, r) => sum + r, 0) / rewards.length;
/** Held-out reward, over all and by what the broken function should be: a repair that is never sampled shows as a 0. */
async function evaluate(
  step: number,
): Promise<{ heldOut: number; byWords: Record<string, number> }> {
  const results = await rollouts.runAll(requests(`e${step}`, step, evaluationTasks, 1));
  const rewards = results.map(({ reward }) => reward ?? 0);
  const byWords: Record<string, number[]> = {};
  evaluationTasks.forEach(({ functions, brokenFunction }, i) => {
    const words = functions[brokenFunction]?.words ?? "";
    byWords[words] = [...(byWords[words] ?? []), rewards[i]];
  });
  const means = Object.entries(byWords).map(([words, each]) => [words, +mean(each).toFixed(2)]);
  return { heldOut: mean(rewards), byWords: Object.fromEntries(means) };
}

// With `--weights FILE` the loop starts from that policy, as a run that has it in its
// folder did; `--save FILE` keeps what it starts from.
if (start === undefined)
  await warmUp(learner, encoder, {
    seed,
    steps: given("warmup"),
    settings: { ...WARM_UP, goodShare: given("good") },
    onStep: async (warmUpStep, loss) => {
      if (warmUpStep % 50 === 0) say({ warmUpStep, loss });
    },
  });
if (words.save) await writeFile(words.save, encodeSafetensors(parameters));
await core.updateWeights(copyParameters(parameters), 0, "keep");
if (given("tasks") > 0) say({ warmedUp: true, ...(await evaluate(0)) });

const order = new Random(hash32(`order ${seed}`));
const adam = newAdam(parameters);
const n = given("n");
/** Advantages by the value head, which learns from the same rollouts; the given ones without it. */
async function estimate(drawn: RolloutSample[], features: Float32Array[]) {
  if (!valueHead) return { samples: drawn, explained: null };
  const values = await valueHead.values(features);
  const samples = estimateByValues(drawn, values, { gamma: 1, lam: given("lam") });
  const returns = samples.flatMap((sample) => sample.returns);
  await valueHead.update(
    features,
    { old: values.flat(), returns },
    {
      learningRate: given("criticLr"),
      clipNorm: 1,
      epochs: given("criticEpochs"),
      cliprangeValue: 0.5,
    },
  );
  const off = returns.map((value, i) => value - values.flat()[i]);
  const variance = (all: number[]) => mean(all.map((value) => (value - mean(all)) ** 2));
  return { samples, explained: +(1 - variance(off) / (variance(returns) + 1e-5)).toFixed(3) };
}
for (let step = 1; step <= given("steps"); step++) {
  const tasks = Array.from({ length: given("groups") }, () => drawRepairTask(order, false));
  const generationBegan = performance.now();
  const results = await rollouts.runAll(requests(`s${step}`, step, tasks, n));
  const genS = (performance.now() - generationBegan) / 1000;
  const advantages = tasks.flatMap((_, g) => {
    const rewards = results.slice(g * n, (g + 1) * n).map((result) => result.reward);
    return valueHead ? rewards : groupAdvantages(rewards, true);
  });
  const drawn = rolloutSamples(results, advantages);
  const old = await learner.score(drawn, 1);
  const { samples, explained } = await estimate(drawn, old.features);
  const update = await updatePolicy(learner, adam, samples, old, null, {
    learningRate: given("lr"),
    clipNorm: 1,
    epochs: given("epochs"),
    clipLow: given("low"),
    clipHigh: given("high"),
    klCoefficient: 0,
    entropyCoefficient: given("entropy"),
    temperature: 1,
  });
  await core.updateWeights(copyParameters(parameters), step, "keep");
  const reward = mean(results.map((result) => result.reward ?? 0));
  const isMeasured = given("tasks") > 0 && step % given("every") === 0;
  const measured = isMeasured ? await evaluate(step) : null;
  const clipped = update?.clipFraction ?? null;
  say({ step, reward, ...measured, genS, explained, clipped, rollouts: results.length });
  if (measured && measured.heldOut >= given("goal")) break;
}
await work.close();
