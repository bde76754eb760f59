import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pack } from "tar-stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { excludePaths } from "#sandboxes/exclude-paths.ts";
import { unpackArchive } from "#sandboxes/unpack-archive.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-unpack-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("takes plain files and folders, and nothing that leads out", async () => {
  const archive = pack();
  archive.entry({ name: "verifier/", type: "directory" });
  archive.entry({ name: "verifier/reward.txt" }, "1\n");
  archive.entry({ name: "verifier/../../out.txt" }, "bad");
  archive.entry({ name: "/etc/out.txt" }, "bad");
  archive.entry({ name: "verifier/link", type: "symlink", linkname: "/etc/passwd" });
  archive.entry({ name: "verifier/device", type: "character-device" });
  archive.entry({ name: "verifier/deep/more.txt" }, "more");
  archive.finalize();
  const to = join(folder, "to");
  const taken = await unpackArchive(archive, to);
  expect(taken).toEqual({
    kind: "directory",
    files: 2,
    bytes: 6,
    leftOut: ["verifier/../../out.txt", "/etc/out.txt", "verifier/link", "verifier/device"],
  });
  expect((await readdir(to)).sort()).toEqual(["deep", "reward.txt"]);
  expect(await readFile(join(to, "reward.txt"), "utf8")).toBe("1\n");
  expect(await readdir(folder)).toEqual(["to"]);
});

it("a program stays one, and nothing gets more than that", async () => {
  const archive = pack();
  archive.entry({ name: "out/", type: "directory" });
  archive.entry({ name: "out/program", mode: 0o4777 }, "x");
  archive.entry({ name: "out/text", mode: 0o666 }, "x");
  archive.finalize();
  const to = join(folder, "out");
  await unpackArchive(archive, to);
  const modeOf = async (name: string) => (await stat(join(to, name))).mode & 0o7777;
  expect([await modeOf("program"), await modeOf("text")]).toEqual([0o755, 0o644]);
});

it("a file alone becomes the place itself", async () => {
  const archive = pack();
  archive.entry({ name: "answer.txt" }, "42");
  archive.finalize();
  const to = join(folder, "artifacts", "answer.txt");
  expect(await unpackArchive(archive, to)).toMatchObject({ kind: "file", files: 1 });
  expect(await readFile(to, "utf8")).toBe("42");
});

it("what is excluded is neither taken nor told, with all below it", async () => {
  const archive = pack();
  archive.entry({ name: "out/", type: "directory" });
  archive.entry({ name: "out/build/", type: "directory" });
  archive.entry({ name: "out/build/deep.txt" }, "no");
  archive.entry({ name: "out/a.o" }, "no");
  archive.entry({ name: "out/kept.txt" }, "yes");
  archive.finalize();
  const to = join(folder, "out");
  const taken = await unpackArchive(archive, to, excludePaths(["*.o", "build"]));
  expect(taken).toEqual({ kind: "directory", files: 1, bytes: 3, leftOut: [] });
  expect(await readdir(to)).toEqual(["kept.txt"]);
});

it("leaves out names that can not be written here, and goes on", async () => {
  const archive = pack();
  archive.entry({ name: "agent/", type: "directory" });
  // What 100 bytes of no text become.
  archive.entry({ name: `agent/${"\uFFFD".repeat(100)}` }, "no");
  archive.entry({ name: "agent/same" }, "one");
  archive.entry({ name: "agent/same/", type: "directory" });
  archive.entry({ name: "agent/same/below" }, "no");
  archive.entry({ name: "agent/last" }, "yes");
  archive.finalize();
  const to = join(folder, "agent");
  const taken = await unpackArchive(archive, to);
  expect(taken).toMatchObject({ files: 2, bytes: 6 });
  expect(taken.leftOut).toEqual([
    `agent/${"\uFFFD".repeat(100)}`,
    "agent/same/",
    "agent/same/below",
  ]);
  expect((await readdir(to)).sort()).toEqual(["last", "same"]);
});

it("does not wait for a file of terabytes, and ends who sends it", async () => {
  const archive = pack();
  archive.entry({ name: "agent/", type: "directory" });
  archive.entry({ name: "agent/first" }, "yes");
  const hole = archive.entry({ name: "agent/hole", size: 2 ** 40 });
  hole.on("error", () => undefined);
  hole.write(Buffer.alloc(1_024));
  const sent = Readable.from(archive);
  const over = new Promise((resolve) => sent.once("close", resolve));
  const to = join(folder, "agent");
  const taken = await unpackArchive(sent, to);
  expect(taken).toMatchObject({ files: 1, leftOut: ["agent/hole and all that comes after it"] });
  expect(await readdir(to)).toEqual(["first"]);
  await over;
});
