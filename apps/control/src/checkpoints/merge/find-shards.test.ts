import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findShards } from "#checkpoints/merge/find-shards.ts";
import { writeVerlCheckpoint } from "#testing/verl-checkpoint.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-shards-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("FSDP's shards are known by their names, and count without the optimizer's", async () => {
  const path = await writeVerlCheckpoint(folder, 2);
  expect(await findShards(path)).toMatchObject({ backend: "fsdp", worldSize: 2, bytes: 10 });
});

test("a shard that is missing is named", async () => {
  const path = await writeVerlCheckpoint(folder, 2, { ranks: [0] });
  expect(await findShards(path)).toMatch(/1 of 2 shards .*model_world_size_2_rank_1.pt/);
  await rm(join(path, "actor/fsdp_config.json"));
  expect(await findShards(path)).toMatch(/fsdp_config.json/);
  await rm(join(path, "actor"), { recursive: true });
  expect(await findShards(path)).toMatch(/no shards/);
});

test("Megatron's distributed checkpoint", async () => {
  const actor = join(folder, "actor");
  await mkdir(join(actor, "model/dist_ckpt"), { recursive: true });
  await writeFile(join(actor, "transformer_config.json"), "{}");
  expect(await findShards(folder)).toMatch(/dist_ckpt lacks metadata.json/);
  for (const name of ["metadata.json", "common.pt", ".metadata", "__0_0.distcp"])
    await writeFile(join(actor, "model/dist_ckpt", name), "1234");
  expect(await findShards(folder)).toMatch(/huggingface/);
  await mkdir(join(actor, "model/huggingface"));
  await writeFile(join(actor, "model/huggingface/config.json"), "{}");
  expect(await findShards(folder)).toMatchObject({
    backend: "megatron",
    worldSize: null,
    bytes: 16,
  });
});
