import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { GpuView } from "@liverl/contract/cluster";
import type { SeenGpus } from "#cluster/read-dcgm.ts";

const FIELDS = [
  ...["index", "name", "utilization.gpu", "memory.used", "memory.total", "temperature.gpu"],
  ...["power.draw", "enforced.power.limit", "ecc.errors.uncorrected.volatile.total"],
];
const TIMEOUT_MS = 5_000;

/** GPUs of this machine as nvidia-smi tells; none where it is not installed. Rejects where it is and does not answer. */
export async function readGpus(): Promise<SeenGpus> {
  try {
    const { stdout } = await promisify(execFile)(
      "nvidia-smi",
      [`--query-gpu=${FIELDS.join(",")}`, "--format=csv,noheader,nounits"],
      { timeout: TIMEOUT_MS, killSignal: "SIGKILL" },
    );
    return { gpus: parseGpus(stdout), warning: null };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return { gpus: [], warning: null };
    throw new Error(
      `nvidia-smi does not answer: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Pure. `[N/A]`, `[Not Supported]` and `[Unknown Error]` stand where there is no value. */
export function parseGpus(csv: string): GpuView[] {
  return csv.split("\n").flatMap((line) => {
    const cells = line.split(",").map((cell) => cell.trim());
    const [index, name, ...numbers] = cells;
    if (cells.length !== FIELDS.length || !/^\d+$/.test(index ?? "") || name === undefined)
      return [];
    const [utilisation, memoryUsed, memoryTotal, temperature, power, powerLimit, uncorrected] =
      numbers.map((cell) => (/^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : null));
    return [
      {
        host: null,
        index: Number(index),
        name,
        utilisation: utilisation ?? null,
        memoryUsed: memoryUsed ?? null,
        memoryTotal: memoryTotal ?? null,
        temperature: temperature ?? null,
        power: power ?? null,
        powerLimit: powerLimit ?? null,
        uncorrected: uncorrected ?? null,
        xid: null,
      },
    ];
  });
}
