import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readlink, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MANIFEST, packTar, tarLength } from "#checkpoints/export/pack-tar.ts";
import { until } from "#testing/until.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-tar-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, sizeBytes: number) {
  const path = join(folder, name.replaceAll("/", "_"));
  await writeFile(path, Buffer.alloc(sizeBytes, name));
  return { name, path, sizeBytes };
}
const openFiles = async () => {
  const links = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  return links.filter((path) => path.startsWith(folder)).length;
};

test("is as long as announced, and tar and sha256sum read it", async () => {
  const files = await Promise.all([
    file("config.json", 0),
    file("model.safetensors", 3_000_001),
    file("sub/x", 512),
  ]);
  const archive = await buffer(packTar("run-step-2", files, new Date()));
  expect(archive.length).toBe(tarLength("run-step-2", files));
  const out = join(folder, "out");
  await mkdir(out);
  execFileSync("tar", ["-x", "-C", out], { input: archive });
  const said = execFileSync("sha256sum", ["-c", MANIFEST], { cwd: join(out, "run-step-2") });
  expect(said.toString().trim().split("\n")).toEqual(files.map(({ name }) => `${name}: OK`));
});

test("a long name leaves the length open and is kept", async () => {
  const long = `${"d".repeat(90)}/${"f".repeat(90)}`;
  const files = [await file("a", 1)].map((one) => ({ ...one, name: long }));
  expect(tarLength("p", files)).toBeNull();
  const archive = await buffer(packTar("p", files, new Date()));
  expect(execFileSync("tar", ["-t"], { input: archive }).toString()).toContain(`p/${long}\n`);
});

test("a file that shrinks breaks the archive off", async () => {
  const one = await file("model", 2_000_000);
  await truncate(one.path, 1_000_000);
  await expect(buffer(packTar("p", [one], new Date()))).rejects.toThrow();
});

test("waits for the reader, and lets go of the file when the reader leaves", async () => {
  const one = await file("model", 64_000_000);
  const before = process.memoryUsage().arrayBuffers;
  const stream = packTar("p", [one], new Date());
  stream.once("data", () => stream.pause());
  await until(openFiles);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000);
  stream.destroy();
  await until(async () => (await openFiles()) === 0);
});
