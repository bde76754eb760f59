import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findPlace, recordPlace } from "#database/postgres-place.ts";

let base: string;
let dataDir: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "place-")));
  dataDir = join(base, "d");
  await mkdir(dataDir);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const makeCluster = async (data: string) => {
  await mkdir(data, { recursive: true });
  await writeFile(join(data, "PG_VERSION"), "18\n");
};

test("the database moves with its data directory", async () => {
  const place = await findPlace(dataDir, null);
  expect(place).toEqual({
    data: join(dataDir, "postgres"),
    socket: join(dataDir, "postgres-socket"),
  });
  await makeCluster(place.data);
  await recordPlace(dataDir, place);
  expect(JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8"))).toEqual({
    data: "postgres",
  });
  const moved = join(base, "moved");
  await rename(dataDir, moved);
  expect((await findPlace(moved, null)).data).toBe(join(moved, "postgres"));
});

test("an absolute record of old is read, also after a move", async () => {
  await makeCluster(join(dataDir, "postgres"));
  for (const data of [join(dataDir, "postgres"), "/somewhere/else/d/postgres"]) {
    await writeFile(join(dataDir, "postgres.json"), JSON.stringify({ data, socket: "/tmp/x" }));
    expect((await findPlace(dataDir, null)).data).toBe(join(dataDir, "postgres"));
  }
});

test("a recorded database that is gone is not replaced by an empty one", async () => {
  const place = await findPlace(dataDir, null);
  await recordPlace(dataDir, place);
  await expect(findPlace(dataDir, null)).rejects.toThrow(/there is none: put it back, or delete/);
});
