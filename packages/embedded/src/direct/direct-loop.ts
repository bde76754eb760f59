import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { hash32, Random } from "@liverl/contract/random";
import { drawRepairTask, type RepairTask } from "@liverl/contract/repair-task";
import type { RolloutRequest } from "@liverl/contract/rollout";
import { ChatEncoder } from "#chat/chat-encoder.ts";
import { CodeWorker } from "#direct/code-worker.ts";
import { DirectRollouts } from "#direct/direct-rollouts.ts";
import { EngineCore } from "#engine/core/engine-core.ts";
import { Network } from "#engine/core/network.ts";
import { newAdam } from "#learner/adam.ts";
import { Learner } from "#learner/learner.ts";
import { updatePolicy } from "#learner/policy-update.ts";
import { groupAdvantages, rolloutSamples } from "#learner/rollout-samples.ts";
import { WARM_UP, warmUp } from "#learner/warm-up.ts";
import { ModelConfig } from "#model/architecture.ts";
import { copyParameters, initialParameters } from "#model/parameters.ts";
import { modelFiles } from "#model/write-model-folder.ts";
import { decodeSafetensors } from "#safetensors/decode-safetensors.ts";
import { encodeSafetensors } from "#safetensors/encode-safetensors.ts";
import { selectParameters } from "#safetensors/read-parameters.ts";

// The whole loop in one process and the verifier's own worker: the same engine core, learner and tasks, without HTTP,
// proxy, runner or files.
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
  steps: 100,
  every: 5,
  tasks: 64,
  goal: 0.95,
  threads: 1,
};
type Option = keyof typeof OPTIONS;
const names = Object.keys(OPTIONS) as Option[];
const words: Record<string, string | undefined> = parseArgs({
  options: Object.fromEntries(
    [...names, "weights", "save"].map((name) => [name, { type: "string" as const }]),
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
const learner = await Learner.open(config, parameters, given("threads"));
const core = new EngineCore(await Network.open(config, 1), { slots: 64, cachedPrefixes: 256 });
const worker = await CodeWorker.start(fileURLToPath(new URL("code-worker.mjs", import.meta.url)));
const rollouts = new DirectRollouts(core, encoder, 5, config.eos_token_id, worker);
const began = performance.now();
const say = (record: Record<string, unknown>) => {
  const cpu = process.cpuUsage();
  const times = {
    wallS: +((performance.now() - began) / 1000).toFixed(1),
    cpuS: +((cpu.user + cpu.system) / 1e6).toFixed(1),
  };
  process.stdout.write(`${JSON.stringify({ ...record, ...times })}\n`);
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
for (let step = 1; step <= given("steps"); step++) {
  const tasks = Array.from({ length: given("groups") }, () => drawRepairTask(order, false));
  const generationBegan = performance.now();
  const results = await rollouts.runAll(requests(`s${step}`, step, tasks, n));
  const genS = (performance.now() - generationBegan) / 1000;
  const advantages = tasks.flatMap((_, g) =>
    groupAdvantages(
      results.slice(g * n, (g + 1) * n).map(({ reward }) => reward),
      true,
    ),
  );
  const samples = rolloutSamples(results, advantages);
  const old = await learner.score(samples, 1);
  await updatePolicy(learner, adam, samples, old, null, {
    learningRate: given("lr"),
    clipNorm: 1,
    epochs: given("epochs"),
    clipLow: 0.2,
    clipHigh: 0.28,
    klCoefficient: 0,
    entropyCoefficient: given("entropy"),
    temperature: 1,
  });
  await core.updateWeights(copyParameters(parameters), step, "keep");
  const reward = mean(results.map((result) => result.reward ?? 0));
  const isMeasured = given("tasks") > 0 && step % given("every") === 0;
  const measured = isMeasured ? await evaluate(step) : null;
  say({ step, reward, ...measured, genS, rollouts: results.length });
  if (measured && measured.heldOut >= given("goal")) break;
}
worker.close();
