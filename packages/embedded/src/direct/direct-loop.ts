import { mkdtempSync } from "node:fs";
import { parseArgs } from "node:util";
import { hash32, Random } from "@liverl/contract/random";
import { drawRepairTask, type RepairTask } from "@liverl/contract/repair-task";
import type { RolloutRequest } from "@liverl/contract/rollout";
import { ChatEncoder } from "#chat/chat-encoder.ts";
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

const { values: flags } = parseArgs({ options: Object.fromEntries(
  ["seed", "warmup", "good", "groups", "n", "lr", "steps", "freq", "stop", "epochs", "val", "wlr", "wb","threads","std"].map((k) => [k, { type: "string" as const }]),
) });
const num = (k: string, d: number) => (flags[k] === undefined ? d : Number(flags[k]));
const seed = num("seed", 1);
const t00 = performance.now();
const files = modelFiles();
const config = ModelConfig.parse(JSON.parse(files["config.json"]));
const encoder = new ChatEncoder({ tokenizerText: files["tokenizer.json"], chatTemplate: files["chat_template.jinja"] });
const parameters = initialParameters(config, hash32(`parameters ${seed}`));
const learner = await Learner.open(config, parameters, num("threads", 1));
const core = new EngineCore(await Network.open(config, 1), { slots: 64, cachedPrefixes: 256 });
const rollouts = new DirectRollouts(core, encoder, 5, config.eos_token_id);
let t = performance.now(); let c = process.cpuUsage();
const cpu = (x: NodeJS.CpuUsage) => { const u = process.cpuUsage(x); return ((u.user + u.system) / 1e6).toFixed(1); };
let last = 0;
await warmUp(learner, encoder, { seed, steps: num("warmup", 500), settings: { ...WARM_UP, goodShare: num("good", 0.2), learningRate: num("wlr", 1e-2), demonstrationsPerStep: num("wb", 8) }, onStep: (_, l) => { last = l; } });
console.log(`start ${((t - t00) / 1e3).toFixed(1)}s warm-up ${((performance.now() - t) / 1e3).toFixed(1)}s cpu ${cpu(c)} loss ${last.toFixed(3)}`);
await core.updateWeights(copyParameters(parameters), 0, "keep");
const request = (id: string, group: string, task: RepairTask): RolloutRequest => ({ rolloutId: id, runId: "r", groupId: group, taskRef: task.ref, mode: "train", step: 0, sampling: { temperature: 1, max_tokens: 32 } });
const evaluate = async (name: string, count: number, salt: number) => {
  const r = new Random(hash32(`${name}${salt}`));
  const rs = await rollouts.runAll(Array.from({ length: count }, (_, i) => request(`${seed}${name}${salt}.${i}`, name, drawRepairTask(r, true))));
  return rs.reduce((a, x) => a + (x.reward ?? 0), 0) / count;
};
t = performance.now();
const before = await evaluate("before", 512, 0);
console.log(`before ${before.toFixed(3)} eval ${((performance.now() - t) / 1e3).toFixed(1)}s`);
const random = new Random(hash32(`order ${seed}`));
const adam = newAdam(parameters);
const G = num("groups", 8), N = num("n", 8);
t = performance.now(); c = process.cpuUsage();
let tRoll = 0, tTrain = 0, total = 0, maxDiff = 0, step = 0, tEval = 0, reached = -1;
for (step = 1; step <= num("steps", 100); step++) {
  let a = performance.now();
  const tasks = Array.from({ length: G }, () => drawRepairTask(random, false));
  const results = await rollouts.runAll(tasks.flatMap((task, g) => Array.from({ length: N }, (_, i) => request(`${seed}.s${step}.g${g}.r${i}`, `g${g}`, task))));
  tRoll += performance.now() - a; total += results.length; a = performance.now();
  const adv = tasks.flatMap((_, g) => groupAdvantages(results.slice(g * N, g * N + N).map((r) => r.reward), num("std", 1) === 1));
  const samples = rolloutSamples(results, adv);
  const old = await learner.score(samples, 1);
  samples.forEach((s, i) => s.sampled.forEach((l, k) => { maxDiff = Math.max(maxDiff, Math.abs(l - old.logProbabilities[i][k])); }));
  const m = await updatePolicy(learner, adam, samples, old, null, { learningRate: num("lr", 1e-3), clipNorm: 1, epochs: num("epochs", 1), clipLow: 0.2, clipHigh: 0.28, klCoefficient: 0, entropyCoefficient: 0, temperature: 1 });
  await core.updateWeights(copyParameters(parameters), step, "keep");
  tTrain += performance.now() - a;
  if (step % num("freq", 5) === 0) {
    a = performance.now();
    const e = await evaluate("val", num("val", 64), 0);
    tEval += performance.now() - a;
    const mean = results.reduce((x, r) => x + (r.reward ?? 0), 0) / results.length;
    console.log(`step ${step} train ${mean.toFixed(3)} val ${e.toFixed(3)} kl ${m?.kl.toExponential(1)} clip ${m?.clipFraction.toFixed(3)} ent ${m?.entropy.toFixed(3)} gn ${m?.gradientNorm.toFixed(2)} wall ${((performance.now() - t) / 1e3).toFixed(1)} roll ${(tRoll / 1e3).toFixed(1)} train ${(tTrain / 1e3).toFixed(1)} eval ${(tEval / 1e3).toFixed(1)} cpu ${cpu(c)} diff ${maxDiff.toExponential(1)}`);
    if (e >= num("stop", 0.96)) { reached = step; break; }
  }
}
const wall = (performance.now() - t) / 1e3;
const final = await evaluate("final", 512, 0);
console.log(JSON.stringify({ seed, before, final, steps: step, rollouts: total, wall: +wall.toFixed(1), cpu: cpu(c), maxDiff, rss: Math.round(process.memoryUsage().rss / 1e6), hit: core.cache.hits / core.cache.queries }));
