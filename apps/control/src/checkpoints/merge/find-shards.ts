import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readJson } from "@liverl/durable/atomic-file";
import { z } from "zod";

const FsdpConfig = z.looseObject({ world_size: z.number().int().positive() });
const MODEL_SHARD = /^model_world_size_(\d+)_rank_(\d+)\.pt$/;

export type MergeBackend = "fsdp" | "megatron";
export interface Shards {
  backend: MergeBackend;
  /** `actor/` of the checkpoint. */
  folder: string;
  /** Of the model's shards alone: a merged model is no larger. */
  bytes: number;
  /** Ranks that wrote it; null with Megatron, which loads on any number. */
  worldSize: number | null;
}

/** The model's shards below a `global_step_N`, by what lies there; a string says what a merge would lack. */
export async function findShards(checkpoint: string): Promise<Shards | string> {
  const folder = join(checkpoint, "actor");
  const names = await readdir(folder).catch((): string[] => []);
  if (names.some((name) => MODEL_SHARD.test(name))) return findFsdp(folder, names);
  if (names.includes("transformer_config.json") || names.includes("model"))
    return findMegatron(folder);
  return "There are no shards of a model in its folder actor/.";
}

async function findFsdp(folder: string, names: readonly string[]): Promise<Shards | string> {
  const config = await readJson(join(folder, "fsdp_config.json"), FsdpConfig).catch(() => null);
  if (config === null)
    return "actor/fsdp_config.json is missing: it says how many ranks wrote the shards.";
  const { world_size: worldSize } = config;
  const wanted = Array.from(
    { length: worldSize },
    (_, rank) => `model_world_size_${worldSize}_rank_${rank}.pt`,
  );
  const missing = wanted.filter((name) => !names.includes(name));
  if (missing.length > 0)
    return `${missing.length} of ${worldSize} shards are missing, the first is actor/${missing[0]}.`;
  if (!(await exists(join(folder, "huggingface/config.json"))))
    return "actor/huggingface/config.json is missing: it says what model the shards are of.";
  const sizes = await Promise.all(wanted.map((name) => stat(join(folder, name))));
  return { backend: "fsdp", folder, worldSize, bytes: sum(sizes.map(({ size }) => size)) };
}

/** Layout v2: https://verl.readthedocs.io, `model/dist_ckpt` and `model/huggingface`. */
async function findMegatron(folder: string): Promise<Shards | string> {
  const shards = join(folder, "model/dist_ckpt");
  const names = await readdir(shards).catch((): string[] => []);
  const needed = ["metadata.json", "common.pt", ".metadata"];
  const missing = needed.filter((name) => !names.includes(name));
  if (missing.length > 0)
    return `actor/model/dist_ckpt lacks ${missing.join(", ")}: the checkpoint is not whole, or of Megatron's older layout.`;
  if (!(await exists(join(folder, "model/huggingface/config.json"))))
    return "actor/model/huggingface/config.json is missing: it says what model the shards are of.";
  const sizes = await Promise.all(names.map((name) => stat(join(shards, name))));
  return {
    backend: "megatron",
    folder,
    worldSize: null,
    bytes: sum(sizes.map(({ size }) => size)),
  };
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
