import { createHash, randomBytes } from "node:crypto";
import { link, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { makeDirectory } from "@liverl/durable/make-directory";
import { isAlive, ProcessRecord } from "@liverl/durable/process";
import { identityOf } from "@liverl/durable/process-identity";

export const CONTROL = "control";
const GUARD_MS = 20;

/**
 * Records this process as the one that controls the data directory. Throws when another one does. Of several that start
 * at once one wins: a record is linked where there is none, and one of a process that is gone is replaced under a guard.
 */
export async function claimDataDir(directory: string, logPath: string): Promise<void> {
  await makeDirectory(directory);
  const path = join(directory, `${CONTROL}.json`);
  // Names that do not end in .json, so that nobody takes them for records of processes.
  const draft = `${path}.${randomBytes(4).toString("hex")}.draft`;
  const guard = `${path}.guard`;
  await writeFileAtomic(draft, JSON.stringify(await ownRecord(logPath)));
  try {
    while (!(await linked(draft, path))) {
      refuse(await livingHolder(path));
      if (!(await linked(draft, guard))) await waitForGuard(guard);
      else if (await replaceStale(draft, path).finally(() => rm(guard, { force: true }))) return;
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function ownRecord(logPath: string): Promise<ProcessRecord> {
  const argv = [...process.argv];
  return {
    name: CONTROL,
    argv,
    argvDigest: createHash("sha256").update(argv.join("\0")).digest("hex"),
    mark: `control-${process.pid}`,
    startedBy: `parent ${process.ppid}`,
    startedAt: new Date().toISOString(),
    logPath,
    port: null,
    pid: process.pid,
    startTime: (await identityOf(process.pid))?.startTime ?? null,
  };
}

/** False where there is a file already: link(2) never replaces one. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Under the guard nobody else replaces the record, and where there is one nobody can link: what is stale stays so. */
async function replaceStale(draft: string, path: string): Promise<boolean> {
  const record = await readJson(path, ProcessRecord);
  if (!record) return false;
  refuse(await livingHolder(path));
  await rename(draft, path);
  return true;
}

/** Another start replaces the record at this moment, or died while it did. */
async function waitForGuard(guard: string): Promise<void> {
  const record = await readJson(guard, ProcessRecord);
  if (record && !(await isAlive(record))) await rm(guard, { force: true });
  await sleep(GUARD_MS);
}

async function livingHolder(path: string): Promise<ProcessRecord | null> {
  const record = await readJson(path, ProcessRecord);
  return record && (await isAlive(record)) ? record : null;
}

function refuse(holder: ProcessRecord | null): void {
  if (!holder) return;
  throw new Error(
    `another LiveRL (process ${holder.pid}) already uses this data directory: stop it, or give --data-dir another folder`,
  );
}
