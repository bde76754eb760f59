// What a process and all its descendants cost, from /proc.
import { readdirSync, readFileSync } from "node:fs";

const MS_PER_TICK = 10;

function treeOf(pid) {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
    );
    return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

const numberAfter = (text, name) =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);

function costOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK,
      rssBytes: numberAfter(status, "VmRSS") * 1024,
      writtenBytes: numberAfter(readFileSync(`/proc/${pid}/io`, "utf8"), "write_bytes"),
    };
  } catch {
    // It has ended meanwhile.
    return { cpuMs: 0, rssBytes: 0, writtenBytes: 0 };
  }
}

/** User and system time (ms), resident memory, and bytes sent to disk, of the whole tree so far. */
export function processCost(pid) {
  const sum = { cpuMs: 0, rssBytes: 0, writtenBytes: 0 };
  for (const member of treeOf(pid)) {
    const cost = costOf(member);
    for (const key of Object.keys(sum)) sum[key] += cost[key];
  }
  return sum;
}
