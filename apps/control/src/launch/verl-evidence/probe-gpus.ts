import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { GpuEvidence } from "#launch/verl-evidence/verl-evidence.ts";

const TIMEOUT_MS = 4_000;
/** nvidia-smi counts in MiB. */
const MB_A_MIB = 1.048576;

/** GPUs of this machine as nvidia-smi lists them; none where it is not installed or does not answer. */
export async function probeGpus(): Promise<GpuEvidence> {
  const [gpus, processes] = await Promise.all([
    ask("--query-gpu=memory.total"),
    ask("--query-compute-apps=pid,process_name,used_memory"),
  ]);
  const memories = gpus.map(Number).filter((mib) => mib > 0);
  return {
    count: memories.length,
    memoryMb: Math.min(...memories, Number.MAX_SAFE_INTEGER) * MB_A_MIB,
    busy: memories.length === 0 ? [] : busyOf(processes),
  };
}

/** Lines `pid, program, MiB`, one for each GPU that a process uses. Pure. */
export function busyOf(lines: readonly string[]): GpuEvidence["busy"] {
  const busy = new Map<number, GpuEvidence["busy"][number]>();
  for (const line of lines) {
    const [, pid, name, mib] = /^(\d+), (.*), (\d+)$/.exec(line) ?? [];
    if (pid === undefined || name === undefined) continue;
    const known = busy.get(Number(pid));
    const usedMb = Number(mib) * MB_A_MIB + (known?.usedMb ?? 0);
    busy.set(Number(pid), { pid: Number(pid), name: name.split("/").at(-1) ?? name, usedMb });
  }
  return [...busy.values()].sort((a, b) => b.usedMb - a.usedMb);
}

async function ask(query: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    "nvidia-smi",
    [query, "--format=csv,noheader,nounits"],
    { timeout: TIMEOUT_MS, killSignal: "SIGKILL" },
  ).catch(() => ({ stdout: "" }));
  return stdout
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
