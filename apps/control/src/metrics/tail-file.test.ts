import { execFileSync } from "node:child_process";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tailFile } from "#metrics/tail-file.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tail-file-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const start = () => ({ position: 0, generation: 0, tail: "" });

test("reads whole lines and goes on where it stopped", async () => {
  const path = join(directory, "a.jsonl");
  await writeFile(path, "one\ntwo\nthr");
  const first = await tailFile(path, start());
  expect(first?.lines.map(({ text }) => text)).toEqual(["one", "two"]);
  await appendFile(path, "ee\n");
  const second = await tailFile(path, first?.place ?? start());
  expect(second?.lines).toEqual([{ offset: 8, text: "three" }]);
});

test("a named pipe that nobody writes is no file", async () => {
  const path = join(directory, "pipe");
  execFileSync("mkfifo", [path]);
  expect(await tailFile(path, start())).toBeNull();
});
