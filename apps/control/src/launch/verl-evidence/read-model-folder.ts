import { access, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import {
  readSafetensorsHeader,
  safetensorsFault,
} from "#checkpoints/hf/read-safetensors-header.ts";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import { parseModelShape } from "#launch/verl-evidence/parse-model-shape.ts";
import type { ModelEvidence, ModelShape } from "#launch/verl-evidence/verl-evidence.ts";

/** `model.safetensors.index.json`, as save_pretrained writes it. */
const WeightIndex = z.looseObject({
  metadata: z.looseObject({ total_size: z.number().positive().optional() }).optional(),
  weight_map: z.record(z.string(), z.string()),
});
const TOKENIZERS = ["tokenizer.json", "tokenizer.model", "vocab.json"];

/** What a folder in Hugging Face form holds. A path that is not here is `elsewhere` where the run reads it elsewhere. */
export async function readModelFolder(path: string, isRemote: boolean): Promise<ModelEvidence> {
  const folder = expandHome(path);
  const names = await readdir(folder).catch(() => null);
  if (names === null)
    return isRemote
      ? { state: "elsewhere" }
      : { state: "missing", message: `${folder} is no folder that can be read.` };
  const weights = await readWeights(folder, names);
  const config = await readShape(join(folder, "config.json"));
  return {
    state: "found",
    ...config,
    ...weights,
    hasTokenizer: TOKENIZERS.some((name) => names.includes(name)),
    hasChatTemplate: names.includes("chat_template.jinja") || (await hasInlineTemplate(folder)),
  };
}

async function readShape(
  path: string,
): Promise<{ shape: ModelShape | null; fault: string | null }> {
  try {
    return { shape: parseModelShape(JSON.parse(await readFile(path, "utf8"))), fault: null };
  } catch (error) {
    if (error instanceof z.ZodError)
      return {
        shape: null,
        fault: `config.json lacks ${error.issues.map((issue) => issue.path.join(".")).join(", ")}.`,
      };
    return { shape: null, fault: "config.json can not be read." };
  }
}

async function readWeights(folder: string, names: readonly string[]) {
  const present = names.filter(
    (name) => name.endsWith(".safetensors") || /^pytorch_model.*\.bin$/.test(name),
  );
  const index = await readFile(join(folder, "model.safetensors.index.json"), "utf8")
    .then((text) => WeightIndex.parse(JSON.parse(text)))
    .catch(() => null);
  const listed = index === null ? present : [...new Set(Object.values(index.weight_map))];
  const sizes = await Promise.all(
    present.map((name) =>
      stat(join(folder, name)).then(
        (file) => file.size,
        () => 0,
      ),
    ),
  );
  const faults = await Promise.all(
    present
      .filter((name) => name.endsWith(".safetensors"))
      .map((name) =>
        readSafetensorsHeader(join(folder, name)).then(
          () => [],
          (error: unknown) => [`${name} is damaged: ${safetensorsFault(error)}.`],
        ),
      ),
  );
  return {
    damagedWeights: faults.flat(),
    sizeBytes: index?.metadata?.total_size ?? sizes.reduce((sum, bytes) => sum + bytes, 0),
    missingWeights: listed.filter((name) => !names.includes(name)),
    hasWeights: present.length > 0,
  };
}

/** transformers before 4.50 kept the template in the tokenizer's own file. */
async function hasInlineTemplate(folder: string): Promise<boolean> {
  const path = join(folder, "tokenizer_config.json");
  return access(path)
    .then(() => readFile(path, "utf8"))
    .then(
      (text) => /"chat_template"\s*:/.test(text),
      () => false,
    );
}
