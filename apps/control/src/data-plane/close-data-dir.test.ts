import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeOpenDirectory } from "@liverl/durable/make-directory";
import { afterEach, beforeEach, expect, test } from "vitest";
import { closeDataDir } from "#data-plane/close-data-dir.ts";

let folder: string;
let umask: number;
beforeEach(async () => {
  umask = process.umask(0o022);
  folder = await mkdtemp(join(tmpdir(), "liverl-closed-"));
});
afterEach(async () => {
  process.umask(umask);
  await rm(folder, { recursive: true, force: true });
});
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test("a data directory that was open to all is closed, with what lies in it, and what is made later is closed, too", async () => {
  const dataDir = join(folder, "data");
  await mkdir(join(dataDir, "runner"), { recursive: true });
  await mkdir(join(dataDir, "postgres"), { mode: 0o750 });
  await writeFile(join(dataDir, "liverl.json"), "{}");
  const outside = join(folder, "outside");
  await writeFile(outside, "x");
  await symlink(outside, join(dataDir, "link"));
  await chmod(dataDir, 0o755);
  await closeDataDir(dataDir);
  await writeFile(join(dataDir, "later"), "x");
  expect(await modeOf(dataDir)).toBe(process.getuid?.() === 0 ? "710" : "700");
  expect(await modeOf(join(dataDir, "runner"))).toBe("700");
  expect(await modeOf(join(dataDir, "liverl.json"))).toBe("600");
  expect(await modeOf(join(dataDir, "later"))).toBe("600");
  expect(await modeOf(join(dataDir, "postgres"))).toBe("750");
  expect(await modeOf(outside)).toBe("644");
});

test("what other users have to read can still be opened to them", async () => {
  process.umask(0o077);
  await makeOpenDirectory(join(folder, "open"));
  expect(await modeOf(join(folder, "open"))).toBe("755");
});
