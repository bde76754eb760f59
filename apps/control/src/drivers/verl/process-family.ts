import { readdir, readFile } from "node:fs/promises";
import { isAlive, type ProcessRecord, stopRecorded } from "@liverl/durable/process";

/**
 * Ends a recorded process and then everything that carries its mark in the environment: Ray's daemons leave the process
 * group of the driver that started them. Never a process that we did not start.
 */
export async function stopFamily(record: ProcessRecord, graceMs: number): Promise<void> {
  await stopRecorded(record, { graceMs });
  for (const pid of await markedProcesses(record.mark)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
}

/** Who does the work of a record: its watcher, or, where that one was killed, the command behind its `--`. */
export async function workingPid(record: ProcessRecord): Promise<number | null> {
  if (await isAlive(record)) return record.pid;
  // The interpreter may have put another in its place; its arguments stay.
  const words = record.argv.slice(record.argv.indexOf("--") + 2).join("\0");
  for (const pid of await markedProcesses(record.mark)) {
    const argv = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (argv.endsWith(`\0${words}\0`)) return pid;
  }
  return null;
}

async function markedProcesses(mark: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const environ = await readFile(`/proc/${entry}/environ`, "utf8").catch(() => "");
    if (environ.split("\0").includes(`LIVERL_PROCESS=${mark}`)) found.push(Number(entry));
  }
  return found;
}
