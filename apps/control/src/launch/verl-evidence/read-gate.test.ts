import { createHash } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readGate } from "#launch/verl-evidence/read-gate.ts";

let dataDir: string;
beforeAll(async () => {
  dataDir = await realpath(await mkdtemp(join(tmpdir(), "liverl-gate-")));
});
afterAll(() => rm(dataDir, { recursive: true }));

test("what was played of a folder is found by the folder, and what is damaged is nothing", async () => {
  const folder = join(dataDir, "tasks");
  await mkdir(folder);
  await mkdir(join(dataDir, "gates"));
  expect(await readGate(dataDir, folder)).toBeNull();
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  const record = {
    ...{ folder, at: "2026-11-22T10:00:00.000Z", tasks: 9 },
    oracle: { a: { reward: 1 }, b: { reward: 0.5 }, c: { reward: null, error: "no sandbox" } },
    nop: { a: { reward: 0 }, b: { reward: 0 }, c: { reward: 1 } },
  };
  await writeFile(join(dataDir, "gates", `${name}.json`), JSON.stringify(record));
  expect(await readGate(dataDir, `${folder}/../tasks`)).toEqual({
    at: record.at,
    played: 3,
    unsolved: ["b"],
    rewarded: ["c"],
    failed: ["c"],
  });
  await writeFile(join(dataDir, "gates", `${name}.json`), "{");
  expect(await readGate(dataDir, folder)).toBeNull();
  expect(await readGate(dataDir, join(dataDir, "none"))).toBeNull();
});
