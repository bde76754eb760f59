import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDirectory } from "#make-directory.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "make-directory-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test("makes the folder and those above it, twice too, and side by side", async () => {
  const path = join(directory, "a", "b", "c");
  await Promise.all([makeDirectory(path, 0o700), makeDirectory(path, 0o700)]);
  await makeDirectory(path);
  expect((await stat(path)).isDirectory()).toBe(true);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test.skipIf(process.platform !== "linux")(
  "gives up at once where no folder can be made",
  async () => {
    await expect(makeDirectory("/proc/nope/deep")).rejects.toThrow(/ENOENT/);
  },
);

test("does not take a file for a folder above", async () => {
  await writeFile(join(directory, "file"), "");
  await expect(makeDirectory(join(directory, "file", "below"))).rejects.toThrow(/ENOTDIR/);
});
