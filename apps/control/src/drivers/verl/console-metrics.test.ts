import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConsoleMetrics } from "#drivers/verl/console-metrics.ts";

let folder: string;
const at = (name: string) => join(folder, name);
const open = (graceMs: number) =>
  new ConsoleMetrics(
    { console: at("console"), metrics: at("metrics"), record: at("source") },
    { graceMs },
  );
const written = () => readFile(at("metrics"), "utf8");
const line = (step: number) => `{"step":${step},"data":{"a":${step}.5}}\n`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-metrics-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a file of verl's own is left alone", async () => {
  await writeFile(at("console"), "step:1 - a:1.5\n");
  await writeFile(at("metrics"), "its own\n");
  expect(await open(0).follow()).toBe("file");
  expect(await open(0).follow(true)).toBeNull();
  expect(await written()).toBe("its own\n");
});

test("printed steps are written where the file does not come, once each over restarts", async () => {
  await writeFile(at("console"), "hello\nstep:1 - a:1.5\nstep:2 - a:2.5\n");
  expect(await open(0).follow()).toBe("console");
  await appendFile(at("console"), "step:3 - a:3.5\n");
  // A crash cut the last line.
  await appendFile(at("metrics"), '{"step":3,"da');
  const again = open(0);
  expect(await again.follow()).toBeNull();
  await appendFile(at("console"), "step:4 - a:4.5\nstep:5 - a:5.");
  await again.follow();
  expect(await written()).toBe(line(1) + line(2) + line(3) + line(4));
});

test("a file is waited for while the job runs, and not after it has ended", async () => {
  await writeFile(at("console"), "step:1 - a:1.5\n");
  const metrics = open(60_000);
  expect(await metrics.follow()).toBeNull();
  expect(await Promise.all([metrics.follow(true), metrics.follow(true)])).toEqual([
    "console",
    null,
  ]);
  expect(await written()).toBe(line(1));
});

test("a job that printed no step has no source", async () => {
  expect(await open(0).follow(true)).toBeNull();
});
