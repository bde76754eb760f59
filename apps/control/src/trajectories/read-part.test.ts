import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TrialFolder } from "#trajectories/trial-folder.ts";

let dataDir: string;
let folder: TrialFolder;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-part-"));
  await mkdir(join(dataDir, "trial", "agent"), { recursive: true });
  await writeFile(join(dataDir, "secret"), "outside");
  await symlink(join(dataDir, "secret"), join(dataDir, "trial", "agent", "link.txt"));
  const opened = await TrialFolder.open(dataDir, "trial");
  if (!opened) throw new Error("the folder is there");
  folder = opened;
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

it("reads a file that grows part by part, and cuts no character", async () => {
  const path = join(dataDir, "trial", "agent", "a.txt");
  await writeFile(path, "ab€");
  const first = await folder.readPart("agent/a.txt", 0, 4);
  expect(first).toEqual({ text: "ab", next: 2, sizeBytes: 5 });
  const second = await folder.readPart("agent/a.txt", 2, 100);
  expect(second).toEqual({ text: "€", next: 5, sizeBytes: 5 });
  expect(await folder.readPart("agent/a.txt", 5, 100)).toEqual({ text: "", next: 5, sizeBytes: 5 });
  // It was written anew, and is shorter for a moment.
  await writeFile(path, "a");
  expect(await folder.readPart("agent/a.txt", 5, 100)).toEqual({ text: "", next: 5, sizeBytes: 1 });
});

it("skips nothing behind bytes that are no text", async () => {
  const path = join(dataDir, "trial", "agent", "raw.txt");
  const bytes = Buffer.from([0xff, 0xff, 0x61, 0x80, 0x80, 0x80, 0x80, 0xf8, 0x62, 0xe2, 0x82]);
  await writeFile(path, bytes);
  const first = await folder.readPart("agent/raw.txt", 0, 100);
  expect(first).toEqual({
    text: "\uFFFD\uFFFDa\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDb",
    next: 9,
    sizeBytes: 11,
  });
  await writeFile(path, Buffer.concat([bytes, Buffer.from([0xac, 0x63])]));
  expect(await folder.readPart("agent/raw.txt", 9, 100)).toEqual({
    ...{ text: "€c", next: 13, sizeBytes: 13 },
  });
});

it("follows no link out of the folder", async () => {
  expect(await folder.readPart("agent/link.txt", 0, 100)).toBeNull();
  expect(await folder.readPart("../secret", 0, 100)).toBeNull();
  expect(await folder.readPart("agent", 0, 100)).toBeNull();
});
