import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findServer } from "#client/find-server.ts";

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-find-"));
  await writeFile(join(dataDir, "liverl.json"), '{"url": "http://127.0.0.1:4401", "pids": {}}');
  await writeFile(join(dataDir, "operator.token"), "of-the-folder\n");
});
afterAll(() => rm(dataDir, { recursive: true }));

const ENV = { url: "http://127.0.0.1:1/", token: "of-the-environment" };
const NONE = { url: undefined, token: undefined };

test("a flag wins over a named data directory, that over the environment, that over the usual place", async () => {
  const there = { url: "http://127.0.0.1:4401", token: "of-the-folder" };
  expect(await findServer({ dataDir }, ENV)).toEqual(there);
  expect(await findServer({ dataDir }, NONE)).toEqual(there);
  expect(await findServer({}, ENV)).toEqual({ ...ENV, url: "http://127.0.0.1:1" });
  const flag = { dataDir, url: "http://127.0.0.1:2" };
  expect(await findServer(flag, ENV)).toEqual({ ...there, url: flag.url });
});

test.each([
  [{ dataDir: "/nonexistent" }, NONE, { exit: 5, message: /npm start/ }],
  [{ dataDir: "/nonexistent", url: "http://x" }, NONE, { exit: 4, message: /no token/ }],
  [{ url: "4400", token: "t" }, NONE, { exit: 2, message: /--url 4400/ }],
  [{ url: "file:///x", token: "t" }, NONE, { exit: 2, message: /--url file/ }],
])("%j is refused in words", async (asked, env, { exit, message }) => {
  await expect(findServer(asked, env)).rejects.toMatchObject({
    exit,
    message: expect.stringMatching(message),
  });
});
