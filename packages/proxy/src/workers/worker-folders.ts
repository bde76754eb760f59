import { type FileHandle, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, writeFileAtomic } from "@liverl/durable/atomic-file";
import { isAlive, listRecorded, recoverRecord, stopRecorded } from "@liverl/durable/process";
import { FrozenIndex } from "#log/frozen-index.ts";

const FROZEN = "frozen.jsonl";
const RETIRED = "retired";

/** Records of the worker processes. */
export const recordsDirectory = (dataDir: string) => join(dataDir, "proxy", "processes");

/** Where a worker keeps its journal. The first one's is that of a proxy without workers, so either finds the other's sessions. */
export function workerDirectory(dataDir: string, index: number): string {
  return index === 0 ? join(dataDir, "proxy") : join(dataDir, "proxy", "workers", String(index));
}

/** Indexes from `count` on whose folder may hold open sessions: they serve these and get no new ones. */
export async function findLeaving(dataDir: string, count: number): Promise<number[]> {
  const folders = await listFolders(dataDir);
  return folders
    .filter(({ index, retired }) => index >= count && !retired)
    .map(({ index }) => index);
}

/** The worker serves again, or from now on. */
export async function enlist(dataDir: string, index: number): Promise<void> {
  const directory = workerDirectory(dataDir, index);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await rm(join(directory, RETIRED), { force: true });
}

/** The worker has no open session left and need not be started again. */
export async function retire(dataDir: string, index: number): Promise<void> {
  await writeFileAtomic(join(workerDirectory(dataDir, index), RETIRED), "");
}

/** Sessions that retired workers completed, with their trajectories' paths. */
export async function readArchive(dataDir: string): Promise<Map<string, string>> {
  const archive = new Map<string, string>();
  for (const { index, retired } of await listFolders(dataDir)) {
    if (!retired) continue;
    for (const [sessionId, path] of await readCompleted(dataDir, index))
      archive.set(sessionId, path);
  }
  return archive;
}

/** Sessions that the worker has completed in all its lives, with their trajectories' paths. */
export function readCompleted(
  dataDir: string,
  index: number,
): Promise<ReadonlyMap<string, string>> {
  return FrozenIndex.read(join(workerDirectory(dataDir, index), FROZEN));
}

/**
 * Hands what retired workers completed to the first one and removes their folders. The first one must not run. A crash
 * in between leaves lines twice, which does no harm.
 */
export async function absorbRetired(dataDir: string): Promise<void> {
  const folders = (await listFolders(dataDir)).filter(({ retired }) => retired);
  if (folders.length === 0) return;
  const handle = await open(join(workerDirectory(dataDir, 0), FROZEN), "a", 0o600);
  try {
    for (const { index } of folders) {
      const directory = workerDirectory(dataDir, index);
      await appendLines(handle, join(directory, FROZEN));
      await handle.sync();
      await rm(directory, { recursive: true });
    }
  } finally {
    await handle.close();
  }
}

/** Ends workers that an earlier parent left behind: a journal has one writer. */
export async function reapWorkers(
  dataDir: string,
  { graceMs }: { graceMs: number },
): Promise<void> {
  const directory = recordsDirectory(dataDir);
  for (const { name } of await listRecorded(directory)) {
    const record = await recoverRecord(directory, name);
    if (record && (await isAlive(record))) await stopRecorded(record, { graceMs });
  }
}

async function appendLines(handle: FileHandle, path: string): Promise<void> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return "";
    throw error;
  });
  // The line before may be torn, and so may the last one of this file.
  await handle.appendFile(`\n${text}\n`);
}

async function listFolders(dataDir: string): Promise<{ index: number; retired: boolean }[]> {
  const parent = join(dataDir, "proxy", "workers");
  const names = await readdir(parent).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const folders: { index: number; retired: boolean }[] = [];
  for (const name of names.filter((entry) => /^[1-9]\d{0,2}$/.test(entry))) {
    const files = await readdir(join(parent, name));
    folders.push({ index: Number(name), retired: files.includes(RETIRED) });
  }
  return folders.sort((a, b) => a.index - b.index);
}
