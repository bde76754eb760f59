import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import {
  readSafetensorsHeader,
  safetensorsFault,
} from "#checkpoints/hf/read-safetensors-header.ts";

const INDEX = "model.safetensors.index.json";
const SINGLE = "model.safetensors";
const TOKENIZERS = ["tokenizer.json", "tokenizer.model", "vocab.json"];
const Config = z.looseObject({ architectures: z.array(z.string()).min(1) });
const Index = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** Why a folder is no whole model in Hugging Face form (config, tokenizer, safetensors of all tensors); null when it is. */
export async function checkHfFolder(folder: string): Promise<string | null> {
  const names = await readdir(folder).catch(() => null);
  if (names === null) return "the folder is missing";
  const config = await parse(join(folder, "config.json"), Config);
  if (config === null) return "config.json is missing or names no architecture";
  if (!TOKENIZERS.some((name) => names.includes(name))) return "there is no tokenizer";
  return names.includes(INDEX) ? checkShards(folder, names) : checkSingle(folder, names);
}

async function checkSingle(folder: string, names: readonly string[]): Promise<string | null> {
  if (!names.includes(SINGLE)) return `there is neither ${SINGLE} nor ${INDEX}`;
  const tensors = await tensorsOf(join(folder, SINGLE));
  if (typeof tensors === "string") return tensors;
  return tensors.size === 0 ? `${SINGLE} has no tensor` : null;
}

async function checkShards(folder: string, names: readonly string[]): Promise<string | null> {
  const index = await parse(join(folder, INDEX), Index);
  const entries = Object.entries(index?.weight_map ?? {});
  if (entries.length === 0) return `${INDEX} names no tensor`;
  for (const shard of new Set(entries.map(([, file]) => file))) {
    // A name out of a file: nothing outside of the folder is looked at.
    if (!names.includes(shard)) return `${shard}, which ${INDEX} names, is missing`;
    const tensors = await tensorsOf(join(folder, shard));
    if (typeof tensors === "string") return tensors;
    const lost = entries.find(([tensor, file]) => file === shard && !tensors.has(tensor));
    if (lost) return `${shard} lacks ${lost[0]}`;
  }
  return null;
}

async function tensorsOf(path: string): Promise<Set<string> | string> {
  return readSafetensorsHeader(path).then(
    (tensors) => new Set(tensors),
    (error: unknown) => `${basename(path)} is damaged: ${safetensorsFault(error)}`,
  );
}

async function parse<S extends z.ZodType>(path: string, schema: S): Promise<z.infer<S> | null> {
  return readFile(path, "utf8").then(
    (text) => {
      try {
        return schema.parse(JSON.parse(text));
      } catch {
        return null;
      }
    },
    () => null,
  );
}
