import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRecorded } from "@liverl/durable/process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { localJob } from "#drivers/verl/local-job.ts";
import { verlFiles } from "#drivers/verl/verl-files.ts";
import { until } from "#testing/until.ts";

/** Stands in for Python, as a real process: as the watcher it starts what stands behind `--`; as verl it leaves a daemon and waits for the file `end`. */
const PYTHON = `#!/usr/bin/env node
const { existsSync, writeFileSync } = require("node:fs");
const { spawn } = require("node:child_process");
const words = process.argv.slice(2);
if (words[1] === "liverl_verl.launch") {
  const [command, ...args] = words.slice(words.indexOf("--") + 1);
  spawn(command, args, { stdio: "inherit" });
} else {
  writeFileSync("daemon", String(spawn("sleep", ["600"], { detached: true, stdio: "ignore" }).pid));
  setInterval(() => existsSync("end") && process.exit(0), 20);
}
`;
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-job-"));
  await writeFile(join(dataDir, "python"), PYTHON);
  await chmod(join(dataDir, "python"), 0o755);
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const isGone = (pid: number) =>
  readFile(`/proc/${pid}/stat`, "utf8").then(
    (stat) => stat.includes(") Z "),
    () => true,
  );

async function orphaned() {
  const files = verlFiles(dataDir, "run-1");
  const processes = join(dataDir, "processes");
  const python = join(dataDir, "python");
  const build = () =>
    localJob(
      { processes },
      {
        ...{ runId: "run-1", attempt: 1, files },
        prepare: async () => ({ python, argv: ["-m", "verl", "a=1"], env: {} }),
      },
    );
  const job = build();
  const never = new AbortController().signal;
  await job.prepare(() => undefined, never);
  await job.start(never);
  const daemon = await until(
    async () =>
      Number(await readFile(join(files.directory, "daemon"), "utf8").catch(() => "")) || null,
  );
  const record = await findRecorded(processes, "run-1.verl");
  process.kill(record?.pid ?? 0, "SIGKILL");
  await until(() => isGone(record?.pid ?? 0));
  return { job: build(), files, daemon };
}

test("a run whose watcher was killed trains on, and its end leaves nothing", async () => {
  const { job, files, daemon } = await orphaned();
  expect(await job.state()).toEqual({ kind: "running" });
  await writeFile(join(files.directory, "end"), "");
  await until(async () => (await job.state()).kind === "ended");
  expect(await job.state()).toMatchObject({ kind: "ended", code: null });
  await until(() => isGone(daemon));
});

test("it can be stopped without its watcher", async () => {
  const { job, daemon } = await orphaned();
  await job.stop();
  await until(async () => (await job.state()).kind === "ended");
  expect(await job.state()).toMatchObject({ kind: "ended", code: null });
  await until(() => isGone(daemon));
});
