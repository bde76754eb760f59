import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { isMissing, readJson, syncDirectory, writeFileAtomic } from "@liverl/durable/atomic-file";
import { z } from "zod";
import type { AdamState } from "#learner/adam.ts";
import type { CriticState } from "#learner/value-head.ts";
import { hashParameters, type Parameters } from "#model/parameters.ts";
import { decodeSafetensors } from "#safetensors/decode-safetensors.ts";
import { encodeSafetensors } from "#safetensors/encode-safetensors.ts";
import { hashState, Progress, type TrainerState, versionOf } from "#trainer/trainer-state.ts";

const MODEL_FILES = [
  "config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "chat_template.jinja",
];
const LATEST = "latest_checkpointed_iteration.txt";
const CRITIC_FILE = "critic.safetensors";
const SavedState = z.object({
  progress: Progress,
  /** Updates of the value head; null without one. */
  criticUpdates: z.number().int().nullable().default(null),
  stateSha256: z.string(),
  weightsSha256: z.string(),
});

export interface SavedCheckpoint {
  path: string;
  bytes: number;
  stateSha256: string;
  weightsSha256: string;
}

const folderOf = (directory: string, step: number) => join(directory, `global_step_${step}`);

const named = (prefix: string, set: Parameters) =>
  [...set].map(([name, tensor]) => [`${prefix}.${name}`, tensor] as const);

/** Name prefixes keep both moments in one safetensors file. */
function optimizerTensors(adam: AdamState): Parameters {
  return new Map([...named("exp_avg", adam.mean), ...named("exp_avg_sq", adam.square)]);
}

function adamOf(tensors: Parameters, updates: number): AdamState {
  return {
    updates,
    mean: withPrefix(tensors, "exp_avg"),
    square: withPrefix(tensors, "exp_avg_sq"),
  };
}

/** The value head and its optimizer, in one file. */
function criticTensors({ parameters, adam }: CriticState): Parameters {
  return new Map([...named("parameters", parameters), ...optimizerTensors(adam)]);
}

async function loadCritic(folder: string, updates: number | null): Promise<CriticState | null> {
  if (updates === null) return null;
  const tensors = decodeSafetensors(await readFile(join(folder, CRITIC_FILE)));
  return { parameters: withPrefix(tensors, "parameters"), adam: adamOf(tensors, updates) };
}

function withPrefix(tensors: Parameters, prefix: string): Parameters {
  return new Map(
    [...tensors]
      .filter(([name]) => name.startsWith(`${prefix}.`))
      .map(([name, tensor]) => [name.slice(prefix.length + 1), tensor]),
  );
}

/** Writes `global_step_<n>/` aside, makes it durable, then gives it its name: a folder of that name is always whole. */
export async function saveCheckpoint(
  directory: string,
  modelDir: string,
  state: TrainerState,
): Promise<SavedCheckpoint> {
  const { step } = state.progress;
  const path = folderOf(directory, step);
  const draft = join(directory, `.global_step_${step}.tmp`);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const stateSha256 = hashState(state);
  const weightsSha256 = hashParameters(state.parameters);
  await writeFile(
    join(draft, "model.safetensors"),
    encodeSafetensors(state.parameters, { policyVersion: String(versionOf(state.progress)) }),
  );
  await writeFile(
    join(draft, "optimizer.safetensors"),
    encodeSafetensors(optimizerTensors(state.adam)),
  );
  if (state.critic)
    await writeFile(join(draft, CRITIC_FILE), encodeSafetensors(criticTensors(state.critic)));
  const criticUpdates = state.critic?.adam.updates ?? null;
  await writeFile(
    join(draft, "trainer_state.json"),
    JSON.stringify({ progress: state.progress, criticUpdates, stateSha256, weightsSha256 }),
  );
  for (const name of MODEL_FILES) await copyFile(join(modelDir, name), join(draft, name));
  await writeFile(join(draft, "COMPLETE"), `${stateSha256}\n`);
  const bytes = await syncFolder(draft);
  await rm(path, { recursive: true, force: true });
  await rename(draft, path);
  await syncDirectory(directory);
  await writeFileAtomic(join(directory, LATEST), String(step));
  return { path, bytes, stateSha256, weightsSha256 };
}

/** Makes every file of the folder durable; resolves to their size in bytes. */
async function syncFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) {
    const handle = await open(join(folder, name), "r+");
    await handle.sync();
    bytes += (await handle.stat()).size;
    await handle.close();
  }
  await syncDirectory(folder);
  return bytes;
}

/** Steps that have a complete checkpoint, oldest first. */
export async function listCheckpointSteps(directory: string): Promise<number[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const steps = names.flatMap((name) => /^global_step_(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  const complete = await Promise.all(
    steps.map((step) =>
      stat(join(folderOf(directory, step), "COMPLETE")).then(
        () => true,
        () => false,
      ),
    ),
  );
  return steps.filter((_, i) => complete[i]).sort((a, b) => a - b);
}

/** Throws when what was read is not, bit for bit, what was saved. */
export async function loadCheckpoint(
  directory: string,
  step: number,
): Promise<TrainerState & { stateSha256: string }> {
  const folder = folderOf(directory, step);
  const saved = await readJson(join(folder, "trainer_state.json"), SavedState);
  if (!saved) throw new Error(`${folder} has no trainer_state.json`);
  const parameters = decodeSafetensors(await readFile(join(folder, "model.safetensors")));
  const moments = decodeSafetensors(await readFile(join(folder, "optimizer.safetensors")));
  const adam = adamOf(moments, saved.progress.adamUpdates);
  const critic = await loadCritic(folder, saved.criticUpdates);
  const state = { progress: saved.progress, parameters, adam, critic };
  const stateSha256 = hashState(state);
  if (stateSha256 !== saved.stateSha256) {
    throw new Error(
      `${folder} is damaged: its state hashes to ${stateSha256}, and ${saved.stateSha256} was saved. Resume from an earlier checkpoint.`,
    );
  }
  return { ...state, stateSha256 };
}
