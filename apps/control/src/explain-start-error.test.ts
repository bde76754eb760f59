import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJson } from "@liverl/durable/atomic-file";
import { probePort } from "@liverl/durable/port";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { explainStartError } from "#explain-start-error.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "explain-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const explain = (error: unknown) =>
  explainStartError(error, { dataDir: "/data", port: 80, host: "127.0.0.1" });
const refusal = (work: Promise<unknown>) => work.then(() => null, explain);

test("a file where the data directory should be", async () => {
  const path = join(directory, "file");
  await writeFile(path, "");
  expect(await refusal(mkdir(join(path, "logs"), { recursive: true }))).toMatch(
    /a file is in the way: give --data-dir a folder$/,
  );
});

test("a damaged record is named", async () => {
  const path = join(directory, "control.json");
  await writeFile(path, '{"pid":');
  expect(await refusal(readJson(path, z.object({ pid: z.number() })))).toContain(
    `${path} is damaged`,
  );
});

test.each([
  [{ code: "EACCES", syscall: "mkdir", path: "/root/x" }, /^\/root\/x can not be written/],
  [{ code: "ENOSPC", syscall: "write" }, /^the disk of \/data is full/],
  [{ code: "EACCES", syscall: "listen" }, /^port 80 needs rights/],
  [{ code: "ENOTFOUND", syscall: "getaddrinfo" }, /^127.0.0.1 is no address/],
  [{}, /^plain$/],
])("%o", (fields, words) => {
  expect(explain(Object.assign(new Error("plain"), fields))).toMatch(words);
});

test("a full disk in a program's own words", () => {
  const error = Object.assign(
    new Error("Command failed: initdb\ncould not write to file: No space left on device"),
    { code: 1 },
  );
  expect(explain(error)).toMatch(/^the disk of \/data is full \(ENOSPC\): free some space/);
});

test("only a port that somebody listens on is in use", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  expect(await probePort(port)).toBeNull();
  await new Promise((resolve) => server.close(resolve));
  expect(await probePort(port)).toBe(port);
  // An address of the documentation block: no machine has it.
  expect(await refusal(probePort(port, "192.0.2.1"))).toMatch(/no address of this machine/);
});
