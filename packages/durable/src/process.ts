import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { readJson, writeFileAtomic } from "#atomic-file.ts";
import { identityOf } from "#process-identity.ts";

/** Environment variable that marks a process as one of a record: finds it again if we died before we knew its pid. */
const MARK = "LIVERL_PROCESS";

export const ProcessRecord = z.object({
  name: z.string(),
  argv: z.array(z.string()),
  argvDigest: z.string(),
  mark: z.string(),
  startedBy: z.string(),
  startedAt: z.string(),
  logPath: z.string(),
  port: z.number().int().nullable(),
  /** Null between the record and the spawn. */
  pid: z.number().int().nullable(),
  /** Kernel start time; with the pid it names one process for good. */
  startTime: z.string().nullable(),
});
export type ProcessRecord = z.infer<typeof ProcessRecord>;

export interface ProcessSpec {
  /** Folder of the records, `D/processes`. */
  directory: string;
  name: string;
  argv: [string, ...string[]];
  env: NodeJS.ProcessEnv;
  cwd: string;
  logPath: string;
  port?: number;
  startedBy: string;
  /** Run as another user; only root may. */
  uid?: number;
  gid?: number;
}

const recordPath = (directory: string, name: string) => join(directory, `${name}.json`);
const digestOf = (argv: readonly string[]) =>
  createHash("sha256").update(argv.join("\0")).digest("hex");

/** Starts a process in its own process group with its output in a log file; recorded before and after the spawn. */
export async function startRecorded(
  spec: ProcessSpec,
): Promise<{ record: ProcessRecord; child: ChildProcess }> {
  await mkdir(spec.directory, { recursive: true });
  const draft: ProcessRecord = {
    name: spec.name,
    argv: spec.argv,
    argvDigest: digestOf(spec.argv),
    mark: `${spec.name}-${randomBytes(8).toString("hex")}`,
    startedBy: spec.startedBy,
    startedAt: new Date().toISOString(),
    logPath: spec.logPath,
    port: spec.port ?? null,
    pid: null,
    startTime: null,
  };
  const path = recordPath(spec.directory, spec.name);
  await writeFileAtomic(path, JSON.stringify(draft));
  const output = openSync(spec.logPath, "a");
  const [command, ...rest] = spec.argv;
  const child = spawn(command, rest, {
    cwd: spec.cwd,
    env: { ...spec.env, [MARK]: draft.mark },
    detached: true,
    stdio: ["ignore", output, output],
    uid: spec.uid,
    gid: spec.gid,
  });
  closeSync(output);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.unref();
  const pid = child.pid ?? null;
  const identity = pid === null ? null : await identityOf(pid);
  const record = { ...draft, pid, startTime: identity?.startTime ?? null };
  await writeFileAtomic(path, JSON.stringify(record));
  return { record, child };
}

export function findRecorded(directory: string, name: string): Promise<ProcessRecord | null> {
  return readJson(recordPath(directory, name), ProcessRecord);
}

export async function listRecorded(directory: string): Promise<ProcessRecord[]> {
  const names = await readdir(directory).catch(() => []);
  const records = await Promise.all(
    names
      .filter((file) => file.endsWith(".json"))
      .map((file) => findRecorded(directory, file.slice(0, -5))),
  );
  return records.filter((record) => record !== null);
}

export async function forgetRecorded(directory: string, name: string): Promise<void> {
  await rm(recordPath(directory, name), { force: true });
}

/** Whether the very process of the record still runs. A zombie, or a stranger with the same pid, does not count. */
export async function isAlive(record: ProcessRecord): Promise<boolean> {
  if (record.pid === null || record.startTime === null) return false;
  const identity = await identityOf(record.pid);
  return identity !== null && identity.startTime === record.startTime;
}

/** Completes a record whose writer died between spawn and the second write. */
export async function recoverRecord(
  directory: string,
  name: string,
): Promise<ProcessRecord | null> {
  const record = await findRecorded(directory, name);
  if (!record || record.pid !== null) return record;
  for (const entry of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    const environ = await readFile(`/proc/${entry}/environ`, "utf8").catch(() => "");
    if (!environ.split("\0").includes(`${MARK}=${record.mark}`)) continue;
    const identity = await identityOf(Number(entry));
    // Children inherit the mark; the process itself leads its group.
    if (identity?.groupId !== Number(entry)) continue;
    const found = { ...record, pid: Number(entry), startTime: identity.startTime };
    await writeFileAtomic(recordPath(directory, name), JSON.stringify(found));
    return found;
  }
  return record;
}

/** SIGTERM to the whole process group, SIGKILL once the grace is over. Resolves when it is gone. */
export async function stopRecorded(
  record: ProcessRecord,
  { graceMs }: { graceMs: number },
): Promise<void> {
  if (!(await isAlive(record)) || record.pid === null) return;
  signalGroup(record.pid, "SIGTERM");
  const deadline = Date.now() + graceMs;
  while (Date.now() < deadline) {
    if (!(await isAlive(record))) break;
    await sleep(25);
  }
  // Also reaches members of the group that outlived their leader.
  signalGroup(record.pid, "SIGKILL");
  while (await isAlive(record)) await sleep(10);
}

/** SIGKILL to the groups of all that live, in one go: whoever supervises them gets no turn to start them again. */
export async function killAll(records: readonly ProcessRecord[]): Promise<void> {
  const living = await Promise.all(
    records.map(async (record) => ((await isAlive(record)) ? record.pid : null)),
  );
  for (const pid of living) if (pid !== null) signalGroup(pid, "SIGKILL");
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: the group is gone, which is what we want.
  }
}
