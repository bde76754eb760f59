import { homedir } from "node:os";
import { join } from "node:path";

/** `~` and `~/x` as the shell reads them; verl does the same with its data files. */
export function expandHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
