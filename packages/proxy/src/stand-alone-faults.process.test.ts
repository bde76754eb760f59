import { rm } from "node:fs/promises";
import { join } from "node:path";
import { killAll, listRecorded } from "@liverl/durable/process";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";
import { StandAlone } from "#testing/stand-alone.ts";
import { recordsDirectory } from "#workers/worker-folders.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let directory: string;
let started: StandAlone[];
beforeEach(async () => {
  directory = await makeTemporaryDirectory("faults");
  started = [];
});
afterEach(async () => {
  for (const program of started) program.child.kill("SIGKILL");
  await Promise.all(started.map(({ exited }) => exited));
  await killAll(await listRecorded(recordsDirectory(join(directory, "data"))));
  await rm(directory, { recursive: true, force: true });
});

it.each<[string, Record<string, string>, string[], string]>([
  ["a setting", { PROXY_PORT: "80a" }, [], 'PROXY_PORT: "80a" is not allowed'],
  ["an argument", {}, ["--prot", "1"], "Unknown option '--prot'"],
  ["a switch", { LIVERL_RECOMPUTE_LOGPROBS: "no" }, [], "Allowed: 0, 1."],
  [
    "a token's file",
    { PROXY_ADMIN_TOKEN: "", PROXY_ADMIN_TOKEN_FILE: "/no" },
    [],
    "can not be read",
  ],
  [
    "a model",
    {
      PROXY_POOLS:
        '[{"id":"a","engines":["http://e"],"modelDir":"/no","modelName":"m","maxModelLen":9}]',
      PROXY_WORKERS: "2",
    },
    [],
    "The model folder /no can not be served",
  ],
  ["an address", { PROXY_HOST: "203.0.113.9" }, [], "this machine has no such address"],
  ["a worker's address", { PROXY_HOST: "203.0.113.9", PROXY_WORKERS: "2" }, [], "can not start: "],
])("ends with one line and code 2 for the fault of %s", async (_, variables, args, line) => {
  const program = StandAlone.start(join(directory, "data"), variables, args);
  started.push(program);
  expect(await program.exited).toBe(2);
  const lines = program.stderr
    .trim()
    .split("\n")
    .filter((text) => !text.startsWith("{"));
  expect(lines).toEqual([expect.stringContaining(line)]);
  expect(program.stdout).toBe("");
});
