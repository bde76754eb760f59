import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { GpuEvidence } from "#launch/verl-evidence/verl-evidence.ts";

const TIMEOUT_MS = 4_000;

/** GPUs of this machine as nvidia-smi lists them; none where it is not installed or does not answer. */
export async function probeGpus(): Promise<GpuEvidence> {
  const listed = await promisify(execFile)(
    "nvidia-smi",
    ["--query-gpu=memory.total", "--format=csv,noheader,nounits"],
    { timeout: TIMEOUT_MS, killSignal: "SIGKILL" },
  ).catch(() => ({ stdout: "" }));
  const memories = listed.stdout
    .split("\n")
    .map(Number)
    .filter((mb) => mb > 0);
  // nvidia-smi counts in MiB.
  return {
    count: memories.length,
    memoryMb: Math.min(...memories, Number.MAX_SAFE_INTEGER) * 1.048576,
  };
}
