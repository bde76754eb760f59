// A checkpoint of real verl: merged by its own merger, read by transformers, downloaded, and forked both ways.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../../../bench/liverl.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const MERGE_MS = 180_000;

/** Digest of every file below a folder, by name. */
function digests(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(
    names.sort().map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ]),
  );
}

async function merge(liverl, runId, step) {
  await liverl.mutate("checkpoint.merge", { runId, step });
  const row = await until(
    async () => {
      const { checkpoints } = await liverl.query("checkpoint.list", { runId });
      const found = checkpoints.find((one) => one.step === step);
      return ["done", "failed", "cancelled"].includes(found.merge.status) ? found : null;
    },
    { what: `the merge of ${runId}`, timeoutMs: MERGE_MS },
  );
  if (row.merge.status !== "done")
    throw new Error(`merge ${row.merge.status}: ${row.merge.detail}`);
  return row;
}

/** The download as `tar` and `sha256sum` read it. */
async function download(liverl, runId, step, scratch) {
  const token = readFileSync(join(liverl.dataDir, "operator.token"), "utf8").trim();
  const answer = await fetch(`${liverl.url}/api/v1/runs/${runId}/checkpoints/${step}.tar`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const archive = Buffer.from(await answer.arrayBuffer());
  execFileSync("tar", ["-x", "-C", scratch], { input: archive });
  const folder = join(scratch, `${runId}-step-${step}`);
  const checked = execFileSync("sha256sum", ["-c", "SHA256SUMS"], { cwd: folder }).toString();
  return {
    folder,
    bytes: archive.length,
    isWhole: Number(answer.headers.get("content-length")) === archive.length,
    files: checked.trim().split("\n").length,
  };
}

function compare(directory, actor, hf) {
  const said = execFileSync(
    join(directory, "venv/bin/python"),
    ["-W", "ignore", join(here, "compare_merged.py"), actor, hf],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, LD_LIBRARY_PATH: join(directory, "cudastub"), HF_HUB_OFFLINE: "1" },
    },
  );
  return JSON.parse(said.trim().split("\n").at(-1));
}

/** A fork as the launch form makes it: the server's spec under another name. */
async function fork(liverl, parent, how, change, ended) {
  const spec = await liverl.query("launch.specOfFork", { ...parent, how });
  const { id } = await liverl.launch(change(spec));
  const run = await ended(id);
  const file = join(liverl.dataDir, "runs", id, "metrics-1.jsonl");
  const lines = readFileSync(file, "utf8").trim().split("\n");
  // A validation before training logs the step that it begins from.
  const updates = lines
    .map((line) => JSON.parse(line))
    .filter(({ data }) => Object.keys(data).some((key) => key.startsWith("actor/")));
  const steps = updates.map(({ step }) => step);
  return {
    id,
    status: run.status,
    reason: run.statusReason,
    parent: run.parent,
    firstStep: steps[0],
  };
}

export async function checkCheckpoints(liverl, { launch, ended, directory, scratch, steps }) {
  const { id: runId } = await launch();
  const run = await ended(runId);
  if (run.status !== "succeeded") throw new Error(`${runId} ${run.status}: ${run.statusReason}`);
  const row = await merge(liverl, runId, steps);
  const again = await liverl.mutate("checkpoint.merge", { runId, step: steps });
  const archive = await download(liverl, runId, steps, scratch);
  const model = compare(directory, join(row.path, "actor"), archive.folder);
  const before = digests(row.path);
  const parent = { runId, step: steps };
  const more = (name, total) => (spec) => ({
    ...spec,
    name,
    batch: { ...spec.batch, ppo_mini_batch_size: 2 },
    trainer: { ...spec.trainer, total_training_steps: total },
  });
  const resumed = await fork(liverl, parent, "resume", more("fork-resume", steps + 1), ended);
  const fresh = await fork(liverl, parent, "weights", more("fork-weights", 1), ended);
  const untouched = JSON.stringify(digests(row.path)) === JSON.stringify(before);
  const { forks } = await liverl.query("run.get", { id: runId });
  const ok = [
    again.status === "done",
    archive.isWhole,
    model.different.length + model.missing.length === 0,
    model.logitsEqual,
    model.finite,
    resumed.status === "succeeded",
    resumed.firstStep === steps + 1,
    resumed.parent?.id === runId && resumed.parent.how === "resume",
    fresh.status === "succeeded",
    fresh.firstStep === 1,
    fresh.parent?.how === "weights",
    untouched,
    forks.length === 2,
  ].every(Boolean);
  return { ok, status: run.status, model, archive, resumed, fresh, untouched };
}
