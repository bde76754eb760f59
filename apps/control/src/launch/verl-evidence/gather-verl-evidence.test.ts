import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LOCAL_VERL_DEFAULTS, RAY_JOB_DEFAULTS } from "#launch/verl-defaults.ts";
import { gatherVerlEvidence } from "#launch/verl-evidence/gather-verl-evidence.ts";
import { readDataset } from "#launch/verl-evidence/read-dataset.ts";
import { readModelFolder } from "#launch/verl-evidence/read-model-folder.ts";
import { testPlaces } from "#testing/test-places.ts";

const parquet = fileURLToPath(new URL("__fixtures__/train.parquet", import.meta.url));
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-evidence-"));
});
afterAll(() => rm(folder, { recursive: true }));

const CONFIG = {
  model_type: "qwen2",
  num_hidden_layers: 2,
  hidden_size: 64,
  intermediate_size: 128,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 512,
  tie_word_embeddings: true,
  dtype: "bfloat16",
};

test("a parquet file as pandas writes it", async () => {
  expect(await readDataset(parquet, false)).toEqual({
    state: "read",
    path: parquet,
    rows: 64,
    columns: ["prompt", "data_source", "ability", "reward_model", "task_ref", "extra_info"],
    extraInfo: ["index", "split"],
  });
});

test("a file of JSON lines, one that is none, and one that is not there", async () => {
  const path = join(folder, "rows.jsonl");
  await writeFile(path, '{"prompt": [], "extra_info": {"task_ref": "x"}}\n{"prompt": []}\n');
  expect(await readDataset(path, false)).toMatchObject({
    rows: 2,
    columns: ["prompt", "extra_info"],
    extraInfo: ["task_ref"],
  });
  const broken = join(folder, "broken.parquet");
  await writeFile(broken, "PAR0 and no more");
  expect(await readDataset(broken, false)).toMatchObject({ state: "unreadable" });
  expect(await readDataset("/nowhere.parquet", false)).toMatchObject({ state: "unreadable" });
  expect(await readDataset("/nowhere.parquet", true)).toMatchObject({ state: "elsewhere" });
});

test("a model's folder: its shape, and what is missing of it", async () => {
  const model = join(folder, "model");
  await mkdir(model);
  await writeFile(join(model, "config.json"), JSON.stringify(CONFIG));
  await writeFile(
    join(model, "model.safetensors.index.json"),
    JSON.stringify({
      metadata: { total_size: 1000 },
      weight_map: { a: "a.safetensors", b: "b.safetensors" },
    }),
  );
  await writeFile(join(model, "a.safetensors"), "cut off");
  await writeFile(join(model, "tokenizer_config.json"), '{"chat_template": "{{ x }}"}');
  expect(await readModelFolder(model, false)).toMatchObject({
    state: "found",
    fault: null,
    shape: { heads: 4, kvHeads: 2, headDim: 16, experts: null, hasGatedDeltaNet: false },
    sizeBytes: 1000,
    missingWeights: ["b.safetensors"],
    damagedWeights: ["a.safetensors is damaged: it is shorter than its header."],
    hasWeights: true,
    hasTokenizer: false,
    hasChatTemplate: true,
  });
  await writeFile(join(model, "config.json"), JSON.stringify({ model_type: "x", hidden_size: 8 }));
  expect(await readModelFolder(model, false)).toMatchObject({
    shape: null,
    fault: expect.stringContaining("num_hidden_layers"),
  });
});

test("an environment, a checkout and a folder of tasks", async () => {
  const venv = join(folder, "venv");
  await mkdir(join(venv, "bin"), { recursive: true });
  await writeFile(join(venv, "bin/python"), "", { mode: 0o755 });
  await mkdir(join(venv, "lib/python3.12/site-packages/verl-0.9.1.dist-info"), { recursive: true });
  const tasks = join(folder, "tasks");
  for (const name of ["one", "two"]) {
    await mkdir(join(tasks, name), { recursive: true });
    await writeFile(join(tasks, name, "task.toml"), "");
    if (name === "one") await writeFile(join(tasks, name, "instruction.md"), "");
  }
  const evidence = await gatherVerlEvidence(
    { dataDir: folder, places: testPlaces() },
    {
      ...LOCAL_VERL_DEFAULTS,
      target: { venv, python: null },
      verl: { version: "0.9.1", path: folder },
      data: { ...LOCAL_VERL_DEFAULTS.data, train_files: [parquet], train_harbor_dir: tasks },
    },
  );
  expect(evidence).toMatchObject({
    python: { venv: { hasPython: true, verlVersion: "0.9.1" } },
    checkout: { hasVerl: false },
    trainHarbor: {
      ...{ state: "read", tasks: 2 },
      broken: [{ path: "two", reason: expect.stringContaining("two/instruction.md") }],
    },
    train: [{ rows: 64 }],
    val: [{ state: "unreadable" }],
    ray: null,
  });
  expect(evidence.freeDiskMb).toBeGreaterThan(0);
});

test("a cluster that does not answer says so, and what is not here may be there", async () => {
  const evidence = await gatherVerlEvidence(
    { dataDir: folder, places: testPlaces() },
    {
      ...RAY_JOB_DEFAULTS,
      target: { ...RAY_JOB_DEFAULTS.target, address: "http://127.0.0.1:9" },
    },
  );
  expect(evidence.model).toEqual({ state: "elsewhere" });
  expect(evidence.ray).toMatchObject({ version: null, isLoopback: true, resources: null });
  expect(evidence.ray?.fault).toBeTruthy();
});
