import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { writeFileAtomic } from "#atomic-file.ts";
import {
  isAlive,
  killAll,
  listRecorded,
  type ProcessSpec,
  recoverRecord,
  startRecorded,
  stopRecorded,
} from "#process.ts";
import { supervise } from "#supervise.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "supervise-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const spec = (code: string): ProcessSpec => ({
  directory,
  name: "child",
  argv: [process.execPath, "-e", code],
  env: {},
  cwd: directory,
  logPath: join(directory, "child.log"),
  startedBy: "test",
});
const forever = "setInterval(() => {}, 1000)";

test("a killed process comes back, and stop leaves nothing behind", async () => {
  const supervised = supervise({ spec: () => spec(forever), minBackoffMs: 10 });
  await vi.waitFor(() => expect(supervised.state).toBe("up"), 5000);
  const first = supervised.record!;
  process.kill(first.pid!, "SIGKILL");
  await vi.waitFor(() => expect(supervised.record?.pid).not.toBe(first.pid), 5000);
  await vi.waitFor(() => expect(supervised.state).toBe("up"), 5000);
  expect(supervised.restarts).toBe(1);
  const second = supervised.record!;
  await supervised.stop({ graceMs: 500 });
  expect(await isAlive(second)).toBe(false);
  expect(await listRecorded(directory)).toEqual([]);
});

test("a stop that comes while the process is being started ends it, too", async () => {
  const supervised = supervise({ spec: () => spec(forever) });
  await supervised.stop({ graceMs: 500 });
  expect(supervised.state).toBe("exited");
  expect(supervised.record && (await isAlive(supervised.record))).toBe(false);
  expect(await listRecorded(directory)).toEqual([]);
});

test("a released process is adopted, not started twice", async () => {
  const first = supervise({ spec: () => spec(forever) });
  await vi.waitFor(() => expect(first.state).toBe("up"), 5000);
  first.release();
  await first.finished;
  const second = supervise({ spec: () => spec(forever) });
  await vi.waitFor(() => expect(second.state).toBe("up"), 5000);
  expect(second.adopted).toBe(true);
  expect(second.record?.pid).toBe(first.record?.pid);
  await second.stop({ graceMs: 500 });
});

test("a process whose pid was never written down is found by its mark", async () => {
  const { record } = await startRecorded(spec(forever));
  await writeFileAtomic(
    join(directory, "child.json"),
    JSON.stringify({ ...record, pid: null, startTime: null }),
  );
  const found = await recoverRecord(directory, "child");
  expect(found?.pid).toBe(record.pid);
  await stopRecorded(found!, { graceMs: 500 });
  expect(await isAlive(record)).toBe(false);
});

test("what ignores SIGTERM is killed once the grace is over", async () => {
  const { record } = await startRecorded(
    spec(`process.on("SIGTERM", () => {}); console.log("armed"); ${forever}`),
  );
  await vi.waitFor(
    async () => expect(await readFile(record.logPath, "utf8")).toContain("armed"),
    5000,
  );
  const began = Date.now();
  await stopRecorded(record, { graceMs: 200 });
  expect(await isAlive(record)).toBe(false);
  expect(Date.now() - began).toBeGreaterThanOrEqual(200);
});

test("killAll ends whole groups without any grace", async () => {
  const { record } = await startRecorded(spec(`process.on("SIGTERM", () => {}); ${forever}`));
  await killAll(await listRecorded(directory));
  await vi.waitFor(async () => expect(await isAlive(record)).toBe(false), 5000);
});

test("onExit decides: a clean end is not a crash", async () => {
  const deaths: (number | null)[] = [];
  const supervised = supervise({
    spec: () => spec("process.exit(3)"),
    minBackoffMs: 5,
    onExit: ({ code, restarts }) => {
      deaths.push(code);
      return restarts === 1 ? "done" : "restart";
    },
  });
  await supervised.finished;
  await sleep(50);
  expect(deaths).toEqual([3, 3]);
  expect(supervised.state).toBe("exited");
});
