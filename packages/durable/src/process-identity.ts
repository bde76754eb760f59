import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

export interface ProcessIdentity {
  /** Opaque; equal for the same process, different after its pid was used again. */
  startTime: string;
  parentId: number;
  groupId: number;
}

/** Null when there is no such process, or only its zombie. */
export async function identityOf(pid: number): Promise<ProcessIdentity | null> {
  return process.platform === "linux" ? fromProc(pid) : fromPs(pid);
}

/** proc(5): the command may hold spaces and parentheses, so fields are counted behind the last ')'. */
async function fromProc(pid: number): Promise<ProcessIdentity | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === "Z" || state === "X" || !startTime) return null;
  return { startTime, parentId: Number(parent), groupId: Number(group) };
}

async function fromPs(pid: number): Promise<ProcessIdentity | null> {
  try {
    const { stdout } = await promisify(execFile)("ps", [
      "-o",
      "state=,ppid=,pgid=,lstart=",
      "-p",
      String(pid),
    ]);
    const [state, parent, group, ...start] = stdout.trim().split(/\s+/);
    if (!state || state.startsWith("Z") || start.length === 0) return null;
    return { startTime: start.join(" "), parentId: Number(parent), groupId: Number(group) };
  } catch {
    return null;
  }
}
