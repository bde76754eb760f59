import { mkdtemp, rm, truncate, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkHfFolder } from "#checkpoints/hf/check-hf-folder.ts";
import { safetensors, writeHfModel } from "#testing/verl-checkpoint.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-hf-"));
  await writeHfModel(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
async function split(first: Record<string, number>, second: Record<string, number> | null) {
  await unlink(at("model.safetensors"));
  await writeFile(at("model-1.safetensors"), safetensors(first));
  if (second) await writeFile(at("model-2.safetensors"), safetensors(second));
  const weight_map = { a: "model-1.safetensors", b: "model-2.safetensors" };
  await writeFile(at("model.safetensors.index.json"), JSON.stringify({ weight_map }));
}

test("a whole model, in one file and in shards", async () => {
  expect(await checkHfFolder(folder)).toBeNull();
  await split({ a: 2 }, { b: 3 });
  expect(await checkHfFolder(folder)).toBeNull();
});

test.each([
  ["no config", () => unlink(at("config.json")), /config.json/],
  ["no tokenizer", () => unlink(at("tokenizer.json")), /tokenizer/],
  ["no weights", () => unlink(at("model.safetensors")), /neither/],
  ["cut off", () => truncate(at("model.safetensors"), 70), /damaged: it has 70 bytes/],
  ["a cut header", () => truncate(at("model.safetensors"), 20), /header is cut off/],
  ["garbage", () => writeFile(at("model.safetensors"), Buffer.alloc(4)), /shorter/],
  ["a missing shard", () => split({ a: 1 }, null), /model-2.safetensors.*is missing/],
  ["a lost tensor", () => split({ a: 1 }, { c: 1 }), /lacks b/],
])("%s is told", async (_, spoil, fault) => {
  await spoil();
  expect(await checkHfFolder(folder)).toMatch(fault);
});
