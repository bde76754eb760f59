import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identityOf } from "@liverl/durable/process-identity";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimDataDir } from "#data-plane/claim-data-dir.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "claim-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const claim = () => claimDataDir(directory, "control.log");
const holder = async () =>
  JSON.parse(await readFile(join(directory, "control.json"), "utf8")).pid as number;

test("of many claims at once one wins, also over a record whose process is gone", async () => {
  await claim();
  const gone = JSON.parse(await readFile(join(directory, "control.json"), "utf8"));
  await writeFile(
    join(directory, "control.json"),
    // The pid was used again since: by this very process.
    JSON.stringify({ ...gone, startTime: "long ago" }),
  );
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, claim));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await holder()).toBe(process.pid);
  expect(await readdir(directory)).toEqual(["control.json"]);
});

test("a living holder is not driven out", async () => {
  await claim();
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  try {
    const identity = await identityOf(child.pid ?? 0);
    const record = JSON.parse(await readFile(join(directory, "control.json"), "utf8"));
    await writeFile(
      join(directory, "control.json"),
      JSON.stringify({ ...record, pid: child.pid, startTime: identity?.startTime }),
    );
    await expect(claim()).rejects.toThrow(`another LiveRL (process ${child.pid})`);
    expect(await holder()).toBe(child.pid);
  } finally {
    child.kill("SIGKILL");
  }
});
