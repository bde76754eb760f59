import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, listRecorded } from "@liverl/durable/process";

export interface PssSampler {
  /** Highest sum so far, in units of 10^6 bytes. */
  readonly peakMb: number;
}

/** It walks the page tables of every process: not too often beside a training. */
const EVERY_MS = 15_000;

/**
 * Adds up the proportional memory (PSS: shared pages count once) of every recorded process of the data directory and all
 * their descendants, every fifteen seconds until `signal`.
 */
export function samplePss(processes: string, signal: AbortSignal): PssSampler {
  const sampler = { peakMb: 0 };
  void (async () => {
    while (!signal.aborted) {
      sampler.peakMb = Math.max(sampler.peakMb, await totalPssMb(processes).catch(() => 0));
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return sampler;
}

export async function totalPssMb(processes: string): Promise<number> {
  const roots: number[] = [];
  for (const record of await listRecorded(processes))
    if (record.pid !== null && (await isAlive(record))) roots.push(record.pid);
  const kilobytes = await Promise.all([...(await withDescendants(roots))].map(pssKilobytes));
  return (kilobytes.reduce((a, b) => a + b, 0) * 1024) / 1e6;
}

async function withDescendants(roots: readonly number[]): Promise<Set<number>> {
  const children = new Map<number, number[]>();
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
    // proc(5): the parent is the second field behind the command, which may hold anything but ends at the last ')'.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const found = new Set<number>();
  const visit = (pid: number) => {
    if (found.has(pid)) return;
    found.add(pid);
    for (const child of children.get(pid) ?? []) visit(child);
  };
  for (const root of roots) visit(root);
  return found;
}

async function pssKilobytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0);
}
