import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { DamagedFile } from "@liverl/durable/atomic-file";
import { z } from "zod";

const Fault = z.looseObject({
  message: z.string(),
  code: z.string().optional(),
  syscall: z.string().optional(),
  path: z.string().optional(),
});

/** Node reports ENOENT when it cannot create a folder on a read-only file system, so the nearest existing folder is checked. */
function isReadOnly(path: string): "EROFS" | null {
  for (let at = path; ; at = dirname(at)) {
    try {
      accessSync(at, constants.W_OK);
      return null;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      if (code === "EROFS") return "EROFS";
      if (code !== "ENOENT" || dirname(at) === at) return null;
    }
  }
}

/** What went wrong at the start, in one line that says what to do. */
export function explainStartError(
  error: unknown,
  { dataDir, port, host }: { dataDir: string; port: number; host: string },
): string {
  if (error instanceof DamagedFile)
    return `${error.message}; make sure that no LiveRL uses ${dataDir}, move the file away and start again`;
  const {
    message,
    code,
    syscall,
    path = dataDir,
  } = Fault.catch({ message: String(error) }).parse(error);
  if (syscall === "listen" || syscall === "getaddrinfo") {
    if (code === "EACCES" || code === "EPERM")
      return `port ${port} needs rights that this user does not have: give --port a number above 1023`;
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      return `${host} is no address of this machine: give --host another one`;
    return message;
  }
  // PostgreSQL's own programs say it in words.
  const kind = message.includes("No space left on device") ? "ENOSPC" : (isReadOnly(path) ?? code);
  switch (kind) {
    case "EACCES":
    case "EPERM":
      return `${path} can not be written by this user (${kind}): give --data-dir a folder of yours, or change the rights of this one`;
    case "EROFS":
      return `the file system of ${path} is read-only (EROFS): mount it for writing, or give --data-dir a folder on another one`;
    case "ENOSPC":
    case "EDQUOT":
      return `the disk of ${path} is full (${kind}): free some space and start again`;
    case "ENOTDIR":
    case "EEXIST":
      return `${path} can not be made, a file is in the way: give --data-dir a folder`;
    default:
      return message;
  }
}
