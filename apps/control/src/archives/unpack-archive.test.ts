import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DiskRoom } from "#archives/disk-room.ts";
import { unpackArchive } from "#archives/unpack-archive.ts";
import { forge } from "#testing/forge-archive.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-unpack-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("folders are counted, those that one name makes among them", async () => {
  const deep = (name: string) => ({ name: `trials/${name}/b/c/d/e/f`, text: "x" });
  const archive = await forge([deep("1"), deep("2"), { name: "trials/1/b/c/g", text: "y" }]);
  const unpack = async (mostFolders: number) => {
    const into = await mkdtemp(join(folder, "one-"));
    const options = { room: new DiskRoom(), onHead: async () => undefined, mostFolders };
    return unpackArchive(Readable.from([archive]), into, options);
  };
  // rows, rows/run, trials, and five for each of the two.
  expect((await unpack(13)).runId).toBe("evil-01");
  await expect(unpack(12)).rejects.toThrow(/more than 12 folders/);
});
