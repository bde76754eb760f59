import { rmSync, writeFileSync } from "node:fs";

/** Writes a file in place of what is there. A link that an agent left there is removed, not followed. */
export function writeFresh(path: string, text: string): void {
  rmSync(path, { force: true, recursive: true });
  writeFileSync(path, text, { flag: "wx" });
}
