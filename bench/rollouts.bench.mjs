// Rollouts per second through the whole path (agent, HTTP, proxy, engine, verifier, index) against a direct loop of the same
// engine, tasks and verifier in one process. Both sample batches of 64 and train between them; only sampling is timed.
// `--steps N` (12); `--warmup D/warmup` spares the warm-up where another data directory has it. Prints one JSON object last; exit 0 only at half of the direct loop's rate or more.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { LiveRL, quantile, say, until } from "./liverl.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    steps: { type: "string" },
    warmup: { type: "string" },
    json: { type: "boolean" },
  },
});
const steps = Number(values.steps ?? 12);
const TICKS_PER_S = 100;

const cpuSeconds = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
};

const liverl = await LiveRL.create(values);
await liverl.start();
const spec = await liverl.presetSpec("quickstart");
spec.name = "rollouts";
spec.trainer = {
  ...spec.trainer,
  total_training_steps: steps + 40,
  stop_at_val_reward: null,
  test_freq: 1000,
  save_freq: 1000,
};
const { id: runId } = await liverl.launch(spec);
const runDir = join(liverl.dataDir, "runs", runId);
const rows = () =>
  readFileSync(join(runDir, "metrics-1.jsonl"), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))
    .filter(({ data }) => "timing_s/gen" in data);
const names = {
  control: null,
  postgres: "postgres",
  runner: "runner",
  proxy: "proxy",
  engine: `${runId}.engine-0`,
  trainer: `${runId}.trainer`,
};
const cpu = () =>
  Object.fromEntries(
    Object.entries(names).map(([name, record]) => [
      name,
      cpuSeconds(record ? liverl.pidOf(record) : liverl.control.pid),
    ]),
  );

say("warming up");
await until(() => rows().length >= 1, { what: "the first step", timeoutMs: 1_800_000 });
const cpuBefore = cpu();
await until(() => rows().length >= steps + 1, { what: `${steps} steps`, timeoutMs: 1_800_000 });
const cpuAfter = cpu();
const measured = rows()
  .slice(1, steps + 1)
  .map(({ data }) => data);
await liverl.mutate("run.stop", { id: runId, when: "now" }).catch((error) => say(String(error)));

say("direct loop");
const direct = spawnSync(
  process.execPath,
  [
    "dist/direct-loop.mjs",
    "--seed=1",
    `--weights=${join(runDir, "weights/v0.safetensors")}`,
    `--steps=${steps + 1}`,
    "--tasks=0",
  ],
  { cwd: root, encoding: "utf8", maxBuffer: 1e8 },
);
if (direct.status !== 0) throw new Error(`the direct loop failed: ${direct.stderr}`);
const floor = direct.stdout
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .slice(1);
await liverl.stop();
liverl.remove();

const batch = spec.batch.train_batch_size * spec.batch.n;
const pathRate =
  batch /
  quantile(
    measured.map((data) => data["timing_s/gen"]),
    0.5,
  );
const directRate =
  batch /
  quantile(
    floor.map(({ genS }) => genS),
    0.5,
  );
const mean = (key) => measured.reduce((sum, data) => sum + data[key], 0) / measured.length;
const report = {
  bench: "rollouts",
  steps,
  rolloutsPerSecond: pathRate,
  directRolloutsPerSecond: directRate,
  ratio: pathRate / directRate,
  // Means over the rollouts of a batch of 64 in flight: they overlap, so they add up to more than the batch took.
  perRolloutSeconds: {
    generate: mean("timing_s/agent_loop/generate_sequences/mean"),
    tools: mean("timing_s/agent_loop/tool_calls/mean"),
    verify: mean("timing_s/agent_loop/compute_score/mean"),
  },
  cpuMsPerRollout: Object.fromEntries(
    Object.keys(names).map((name) => [
      name,
      (1000 * (cpuAfter[name] - cpuBefore[name])) / (steps * batch),
    ]),
  ),
  directCpuMsPerRollout:
    (1000 * (floor.at(-1).cpuS - floor[0].cpuS)) / ((floor.length - 1) * batch),
};
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit(report.ratio >= 0.5 ? 0 : 1);
