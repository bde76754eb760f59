import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, it } from "vitest";
import { FileWatch } from "#metrics/file-watch.ts";

/** Longer than a test may take: a wait that nothing ends fails it. */
const NEVER_MS = 600_000;

let folder: string;
let path: string;
let watch: FileWatch;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-watch-"));
  path = join(folder, "metrics.jsonl");
  watch = new FileWatch({ watchedMs: NEVER_MS });
});
afterEach(async () => {
  watch.close();
  await rm(folder, { recursive: true });
});

/** Forgets what happened so far, a nudge included. */
async function settle(): Promise<void> {
  watch.follow([path]);
  await new Promise((resolve) => setTimeout(resolve, 200));
  watch.nudge();
  await watch.wait();
}

it("ends when a file is written", async () => {
  await writeFile(path, "");
  await settle();
  const waited = watch.wait();
  await appendFile(path, "{}\n");
  await waited;
});

it("goes on with the file that takes the name of another one", async () => {
  await writeFile(path, "");
  await settle();
  const replaced = watch.wait();
  await writeFile(join(folder, "next"), "");
  await rename(join(folder, "next"), path);
  await replaced;
  await settle();
  const waited = watch.wait();
  await appendFile(path, "{}\n");
  await waited;
});

it("looks again soon where a file is not there yet", async () => {
  watch.follow([path]);
  await watch.wait();
  await writeFile(path, "");
  await settle();
  const waited = watch.wait();
  await appendFile(path, "{}\n");
  await waited;
});

it("looks once in a while at a file that told nothing", async () => {
  const sure = new FileWatch({ watchedMs: 50 });
  await writeFile(path, "");
  sure.follow([path]);
  await sure.wait();
  await sure.wait();
  sure.close();
});

it("keeps a nudge for the next wait, and waits no more once it is closed", async () => {
  await writeFile(path, "");
  await settle();
  watch.nudge();
  await watch.wait();
  const waited = watch.wait();
  watch.close();
  await waited;
  await watch.wait();
});
