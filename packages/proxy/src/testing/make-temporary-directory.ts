import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";

/** A fresh folder, in memory where the system offers that: a busy disk takes seconds for an fsync. */
export function makeTemporaryDirectory(name: string): Promise<string> {
  return mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), `liverl-${name}-`));
}
