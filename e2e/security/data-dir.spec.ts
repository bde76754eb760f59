import { spawnSync } from "node:child_process";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "#fixtures/attacker.ts";
import { expect } from "#fixtures/liverl.ts";

/** Paths below `folder` that others may read, list or write; PostgreSQL's own folders are its user's. */
async function openTo(folder: string): Promise<string[]> {
  const open: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (/^postgres/.test(entry.name) || entry.isSymbolicLink()) continue;
    const path = join(folder, entry.name);
    // Files come and go while LiveRL works.
    const found = await lstat(path).catch(() => null);
    if (found && (found.mode & 0o077) !== 0) open.push(path);
    if (entry.isDirectory()) open.push(...(await openTo(path).catch(() => [])));
  }
  return open;
}

test("nothing of the data directory is open to other users", async ({ liverl }) => {
  const isRoot = process.getuid?.() === 0;
  // Root's PostgreSQL runs as another user, whose group may pass through.
  expect(((await lstat(liverl.dataDir)).mode & 0o777).toString(8)).toBe(isRoot ? "710" : "700");
  const open = await openTo(liverl.dataDir);
  // What the test itself copied in before the start.
  expect(open.filter((path) => !path.includes("/warmup/"))).toEqual([]);
});

test("another user reads no file of it", async ({ liverl }) => {
  test.skip(process.getuid?.() !== 0, "only root can become another user");
  const stranger = { uid: 12_345, gid: 12_345, encoding: "utf8" } as const;
  const listed = spawnSync("find", [liverl.dataDir, "-type", "f", "-readable"], stranger);
  expect(listed.stdout).toBe("");
});
