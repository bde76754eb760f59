import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FileWatch } from "#metrics/file-watch.ts";

let folder: string;
let path: string;
let watch: FileWatch;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-watch-"));
  path = join(folder, "metrics.jsonl");
  watch = new FileWatch();
});
afterEach(async () => {
  watch.close();
  await rm(folder, { recursive: true });
});

/** Milliseconds until a wait ends that `cause` falls into. */
async function waitOver(cause: () => unknown): Promise<number> {
  await watch.wait();
  watch.follow([path]);
  const began = performance.now();
  const waited = watch.wait();
  await cause();
  await waited;
  return performance.now() - began;
}
/** The fastest of some, because a busy machine is not what is tested. */
async function fastest(cause: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) times.push(await waitOver(cause));
  return Math.min(...times);
}

it("ends when the file is written, long before it is time to make sure", async () => {
  await writeFile(path, "");
  expect(await fastest(() => appendFile(path, "{}\n"))).toBeLessThan(900);
  expect(await waitOver(() => undefined)).toBeGreaterThan(990);
});

it("sees a file that takes the name of another one, and writes to it", async () => {
  await writeFile(path, "");
  const replace = async () => {
    await writeFile(join(folder, "next"), "{}\n");
    await rename(join(folder, "next"), path);
  };
  expect(await fastest(replace)).toBeLessThan(900);
  expect(await fastest(() => appendFile(path, "{}\n"))).toBeLessThan(900);
});

it("looks often at a file that is not there yet", async () => {
  expect(await fastest(() => undefined)).toBeLessThan(900);
});

it("keeps a nudge for the next wait, and waits no more once it is closed", async () => {
  await writeFile(path, "");
  watch.follow([path]);
  watch.nudge();
  const began = performance.now();
  await watch.wait();
  watch.close();
  await watch.wait();
  expect(performance.now() - began).toBeLessThan(900);
});
