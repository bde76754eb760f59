import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { runFiles } from "#drivers/embedded/run-files.ts";

export interface FoundCheckpoint {
  step: number;
  path: string;
  /** All of it is there: a resume can read it. */
  complete: boolean;
  contents: string[];
  sizeBytes: number;
  writtenAt: Date;
}

/** The `global_step_N` folders of a run, by step. */
export async function findCheckpoints(dataDir: string, runId: string): Promise<FoundCheckpoint[]> {
  const { checkpoints } = runFiles(dataDir, runId);
  const names = await readdir(checkpoints).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const step = /^global_step_(\d{1,9})$/.exec(name)?.[1];
      return step === undefined ? null : inspect(Number(step), join(checkpoints, name));
    }),
  );
  return found.filter((checkpoint) => checkpoint !== null).sort((a, b) => a.step - b.step);
}

async function inspect(step: number, path: string): Promise<FoundCheckpoint | null> {
  try {
    const contents = await listFiles(path);
    // The folder's own time moves when a merge puts its model beside the trainer's files.
    const written = contents.filter(({ name }) => !name.startsWith("hf/"));
    const writtenAt = new Date(written.reduce((last, file) => Math.max(last, file.writtenMs), 0));
    const sizeBytes = contents.reduce((sum, file) => sum + file.bytes, 0);
    const names = contents.map(({ name }) => name);
    // An empty shard is one that was begun.
    const filled = contents.filter(({ bytes }) => bytes > 0).map(({ name }) => name);
    const complete = isVerls(names)
      ? hasAllShards(filled) && (await trackerReached(step, path))
      : names.includes(COMPLETE);
    return { step, path, complete, contents: summarise(names), sizeBytes, writtenAt };
  } catch {
    // Removed while we looked.
    return null;
  }
}

/** Written last by the embedded trainer: its presence says that all else is there. */
const COMPLETE = "COMPLETE";
const isVerls = (names: readonly string[]) =>
  !names.includes(COMPLETE) && names.some((name) => /^(actor\/|data\.pt$)/.test(name));

/** Paths below the folder, relative to it, with their sizes and times. */
async function listFiles(
  folder: string,
): Promise<{ name: string; bytes: number; writtenMs: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const found = await Promise.all(
    files.map(async (entry) => {
      const file = join(entry.parentPath, entry.name);
      const { size, mtimeMs } = await stat(file);
      return { name: relative(folder, file), bytes: size, writtenMs: mtimeMs };
    }),
  );
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const SHARD = /^(actor|critic)\/(model|optim|extra_state)_world_size_(\d+)_rank_(\d+)\.pt$/;

/** FSDP writes a file a rank. verl's pruning deletes `actor/` and leaves the folder: that is none. */
function hasAllShards(names: readonly string[]): boolean {
  if (!names.some((name) => name.startsWith("actor/"))) return false;
  const ranks = new Map<string, Set<number>>();
  for (const name of names) {
    const [, role, kind, world, rank] = SHARD.exec(name) ?? [];
    if (world === undefined) continue;
    const key = `${role} ${kind} ${world}`;
    ranks.set(key, (ranks.get(key) ?? new Set()).add(Number(rank)));
  }
  // Megatron names its shards otherwise; a model of Hugging Face alone has no optimizer to go on with.
  if (ranks.size === 0)
    return names.some(
      (name) => name.startsWith("actor/") && !name.startsWith("actor/huggingface/"),
    );
  return [...ranks].every(([key, found]) => {
    const world = Number(key.split(" ")[2]);
    return found.size === world && [...found].every((rank) => rank < world);
  });
}

/** `latest_checkpointed_iteration.txt`, beside the folders, is written after a checkpoint; async saves do without. */
async function trackerReached(step: number, path: string): Promise<boolean> {
  const tracker = join(dirname(path), "latest_checkpointed_iteration.txt");
  const text = await readFile(tracker, "utf8").catch(() => null);
  return text === null || Number(text.trim()) >= step;
}

/** Folders with many shards as one line each. */
function summarise(names: readonly string[]): string[] {
  const folders = new Map<string, number>();
  for (const name of names) {
    const [first = name, ...rest] = name.split("/");
    const key = rest.length > 0 ? `${first}/` : first;
    folders.set(key, (folders.get(key) ?? 0) + 1);
  }
  return [...folders].map(([name, files]) =>
    name.endsWith("/") ? `${name} (${files} files)` : name,
  );
}
