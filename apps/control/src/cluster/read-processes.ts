import { readFile, statfs } from "node:fs/promises";
import { freemem, loadavg, totalmem } from "node:os";
import type { HostView, ProcessRow } from "@liverl/contract/cluster";
import { listRecorded } from "@liverl/durable/process";
import { identityOf } from "@liverl/durable/process-identity";

/** Those that live, by name. */
export async function readProcesses(directory: string): Promise<ProcessRow[]> {
  const rows = await Promise.all(
    (await listRecorded(directory)).map(async ({ name, pid, startTime, startedAt }) => {
      if (pid === null || (await identityOf(pid))?.startTime !== startTime) return [];
      return [{ name, pid, startedAt, memory: await residentBytes(pid) }];
    }),
  );
  return rows.flat().sort((a, b) => a.name.localeCompare(b.name));
}

export async function readHost(dataDir: string): Promise<HostView> {
  const memoryTotal = totalmem();
  const disk = await statfs(dataDir);
  return {
    load: loadavg()[0] ?? 0,
    memoryUsed: memoryTotal - freemem(),
    memoryTotal,
    diskFree: disk.bavail * disk.bsize,
    diskTotal: disk.blocks * disk.bsize,
  };
}

/** proc(5): VmRSS of `status`, in KiB. */
async function residentBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}
