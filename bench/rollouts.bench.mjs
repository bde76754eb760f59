// Rollouts per second through the whole path (agent, HTTP, proxy, engine, verifier, index) against a direct loop of the same
// engine, sandboxes, tools and verifier in one process. Both sample batches of 64 and train between them; only sampling is
// timed, after 20 steps that do not count. `--steps N` (30); `--warmup D/warmup` spares the warm-up where another data directory has it. Prints one JSON object last; exit 0 only at half of the direct loop's rate or more.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { LiveRL, quantile, report, say, until } from "./liverl.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    steps: { type: "string" },
    warmup: { type: "string" },
    json: { type: "boolean" },
  },
});
const steps = Number(values.steps ?? 30);
/** Steps before those that count: programs get quicker while they are compiled, one as well as six. */
const WARM_STEPS = 20;
const TICKS_PER_S = 100;

/** Processor seconds of every process that a run needs, by name, each with its workers: those that live and those that ended. */
function cpuSeconds(roots) {
  const all = new Map();
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      all.set(Number(entry), { parent: Number(fields[1]), seconds: ticks / TICKS_PER_S });
    } catch {
      // It has ended meanwhile.
    }
  }
  const sums = {};
  for (const [pid, { seconds }] of all) {
    let above = pid;
    while (above > 1 && !roots.has(above)) above = all.get(above)?.parent ?? 0;
    if (!roots.has(above)) continue;
    const name = roots.get(above);
    sums[name] = (sums[name] ?? 0) + seconds;
  }
  return sums;
}

const liverl = await LiveRL.create(values);
await liverl.start();
const spec = await liverl.presetSpec("quickstart");
spec.name = "rollouts";
spec.trainer = {
  ...spec.trainer,
  total_training_steps: WARM_STEPS + steps + 40,
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
const cpu = () =>
  cpuSeconds(
    new Map([
      [liverl.control.pid, "control"],
      ...["postgres", "runner", "proxy"].map((name) => [liverl.pidOf(name), name]),
      [liverl.pidOf(`${runId}.engine-0`), "engine"],
      [liverl.pidOf(`${runId}.trainer`), "trainer"],
    ]),
  );

say("warming up");
await until(() => rows().length >= WARM_STEPS, { what: "its steps", timeoutMs: 1_800_000 });
say("measuring");
const cpuBefore = cpu();
await until(() => rows().length >= WARM_STEPS + steps, {
  what: `${steps} steps`,
  timeoutMs: 1_800_000,
});
const cpuAfter = cpu();
const measured = rows()
  .slice(WARM_STEPS, WARM_STEPS + steps)
  .map(({ data }) => data);
await liverl.mutate("run.stop", { id: runId, when: "now" }).catch((error) => say(String(error)));

/** Rollouts per second of the direct loop over as many steps, from the run's first weights. */
function directLoop(files) {
  say(`direct loop${files ? "" : " without files"}`);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      "dist/direct-loop.mjs",
      "--seed=1",
      `--weights=${join(runDir, "weights/v0.safetensors")}`,
      `--steps=${WARM_STEPS + steps}`,
      "--tasks=0",
      `--files=${files ? 1 : 0}`,
    ],
    { cwd: root, encoding: "utf8", maxBuffer: 1e8 },
  );
  if (status !== 0) throw new Error(`the direct loop failed: ${stderr}`);
  const lines = stdout.trim().split("\n").slice(-steps);
  return (
    batch /
    quantile(
      lines.map((line) => JSON.parse(line).genS),
      0.5,
    )
  );
}
const batch = spec.batch.train_batch_size * spec.batch.n;
const directRate = directLoop(true);
const bareRate = directLoop(false);
await liverl.stop();
liverl.remove();

const pathRate =
  batch /
  quantile(
    measured.map((data) => data["timing_s/gen"]),
    0.5,
  );
const mean = (key) => measured.reduce((sum, data) => sum + data[key], 0) / measured.length;
const ratio = pathRate / directRate;
report("rollouts", {
  ok: ratio >= 0.5,
  figures: {
    steps,
    rolloutsPerSecond: pathRate,
    ratio,
    // Means over the rollouts of a batch of 64 in flight: they overlap, so they add up to more than the batch took.
    perRolloutSeconds: {
      generate: mean("timing_s/agent_loop/generate_sequences/mean"),
      tools: mean("timing_s/agent_loop/tool_calls/mean"),
      verify: mean("timing_s/agent_loop/compute_score/mean"),
    },
    cpuMsPerRollout: Object.fromEntries(
      Object.keys(cpuAfter).map((name) => [
        name,
        (1000 * (cpuAfter[name] - (cpuBefore[name] ?? 0))) / (steps * batch),
      ]),
    ),
  },
  peers: {
    directLoop: { rolloutsPerSecond: directRate },
    // The same without sandboxes of files: no part of the claim, for who wants to know what files cost.
    directLoopInMemory: { rolloutsPerSecond: bareRate },
  },
});
