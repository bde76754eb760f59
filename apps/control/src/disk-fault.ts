import { access, constants, statfs } from "node:fs/promises";

export type DiskFault = "full" | "read-only";

/** Node's codes, and PostgreSQL's: 53100 is disk_full. */
const FAULT_OF_CODE: ReadonlyMap<string, DiskFault> = new Map([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["53100", "full"],
  ["EROFS", "read-only"],
]);
/** PostgreSQL and Prisma tell some of them in words alone. */
const IN_WORDS: readonly [RegExp, DiskFault][] = [
  [/No space left on device|Disk quota exceeded|Code: `53100`|\b(?:ENOSPC|EDQUOT)\b/i, "full"],
  [/Read-only file system|\bEROFS\b/i, "read-only"],
];
const LONGEST = 10_000;
const DEEPEST = 8;
const LEAST_FREE_BYTES = 8 * 1024 * 1024;

/** What an error says of the disk, in itself or in its causes; null where it says nothing. Pure. */
export function diskFaultOf(error: unknown): DiskFault | null {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < DEEPEST; depth++) {
    const { code, meta } = cause as { code?: unknown; meta?: { code?: unknown } };
    const known = FAULT_OF_CODE.get(String(code)) ?? FAULT_OF_CODE.get(String(meta?.code));
    if (known !== undefined) return known;
    const text = cause.message.slice(0, LONGEST);
    const said = IN_WORDS.find(([words]) => words.test(text));
    if (said) return said[1];
    cause = cause.cause;
  }
  return null;
}

/** What happened and what to do. */
export function explainDiskFault(fault: DiskFault, dataDir = "the data directory"): string {
  return fault === "full"
    ? `The disk is full: nothing was stored. Free some space on the disk of ${dataDir}; LiveRL resumes by itself.`
    : `The file system of ${dataDir} is read-only: nothing was stored. Mount it for writing; LiveRL resumes by itself.`;
}

/** How the disk of a folder is now: null where it can be written to. */
export async function diskFaultNow(folder: string): Promise<DiskFault | null> {
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < LEAST_FREE_BYTES ? "full" : null;
  } catch (error) {
    return diskFaultOf(error);
  }
}
