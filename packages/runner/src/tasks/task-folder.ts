import { isAbsolute } from "node:path";

const PREFIX = "harbor:";

/** The folder of a task in Harbor's format that a reference names: `/path` or `harbor:/path`; null for anything else. */
export function taskFolderOf(taskRef: string): string | null {
  const path = taskRef.startsWith(PREFIX) ? taskRef.slice(PREFIX.length) : taskRef;
  return isAbsolute(path) && !path.includes("\0") ? path : null;
}
