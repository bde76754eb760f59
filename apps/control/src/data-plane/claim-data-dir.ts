import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { findRecorded, isAlive, type ProcessRecord } from "@liverl/durable/process";
import { identityOf } from "@liverl/durable/process-identity";

export const CONTROL = "control";

/** Records this process as the one that controls the data directory. Throws when another one does. */
export async function claimDataDir(directory: string, logPath: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const other = await findRecorded(directory, CONTROL);
  if (other && other.pid !== process.pid && (await isAlive(other))) {
    throw new Error(
      `another LiveRL (process ${other.pid}) already uses this data directory: stop it, or give --data-dir another folder`,
    );
  }
  const argv = [...process.argv];
  const record: ProcessRecord = {
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
  await writeFileAtomic(join(directory, `${CONTROL}.json`), JSON.stringify(record));
}
