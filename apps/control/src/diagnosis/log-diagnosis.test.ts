import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { diagnose } from "#diagnosis/diagnose.ts";
import { explain, LogDiagnosis } from "#diagnosis/log-diagnosis.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "diagnosis-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const CAUSE = [
  "(WorkerDict pid=1) Traceback (most recent call last):",
  '(WorkerDict pid=1)   File "/srv/verl/verl/workers/actor/dp_actor.py", line 3, in run',
  "(WorkerDict pid=1) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
  "",
].join("\n");
const END =
  "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n";

it("finds a cause 60 MB before the end, at 8 MB a second or faster, with its line and its offset", async () => {
  const path = join(folder, "long.log");
  const head = "(TaskRunner pid=2) Größe 日本\n".repeat(1_000);
  const noise =
    `${"(AgentLoopWorker pid=7) INFO 11-20 10:11:04 [loggers.py:127] Engine 000: Avg prompt throughput: 812.1 tokens/s, Running: 12 reqs\n".repeat(9)}(vLLMHttpServer pid=8) aiohttp.client_exceptions.ClientConnectorError: Cannot connect to host 10.0.0.2:8000\n`.repeat(
      20,
    );
  await writeFile(path, head + CAUSE);
  let bytes = Buffer.byteLength(head + CAUSE);
  const block = noise.repeat(250);
  for (let i = 0; i < 11; i += 1) {
    await appendFile(path, block);
    bytes += block.length;
  }
  await appendFile(path, END);
  expect(bytes).toBeGreaterThan(60_000_000);
  const began = performance.now();
  const diagnosis = await new LogDiagnosis(path).conclude();
  const megabytesPerS = bytes / 1000 / (performance.now() - began);
  expect(diagnosis).toMatchObject({ id: "cuda-out-of-memory" });
  expect(diagnosis?.evidence[0]).toMatchObject({
    offset: Buffer.byteLength(head) + Buffer.from(CAUSE).lastIndexOf("(WorkerDict"),
    line: 1_003,
  });
  expect(megabytesPerS).toBeGreaterThan(8);
});

it("reads a log as it grows, in pieces that end anywhere, and starts again where the file is another one", async () => {
  const path = join(folder, "growing.log");
  const bytes = Buffer.from(`日本 (TaskRunner pid=2)\n${CAUSE}${END.trimEnd()}`);
  const log = new LogDiagnosis(path);
  await log.catchUp();
  for (let at = 0; at < bytes.length; at += 7) {
    await appendFile(path, bytes.subarray(at, at + 7));
    await log.catchUp();
  }
  expect(await log.conclude()).toEqual(diagnose(bytes.toString()));
  await writeFile(path, "all is well\n");
  expect(await log.conclude()).toBeNull();
});

it("has linear time: one line of 1 MB of anything takes no longer than its bytes", async () => {
  for (const piece of [
    " ",
    "(",
    "[",
    "a.",
    "Error",
    'File "',
    "pid=",
    "E0101 ",
    "<|im_start|>",
    "slurmstepd: error: *** ",
    "\u001b[",
    "ray::",
    "`",
    "| ",
  ]) {
    const path = join(folder, "line.log");
    await writeFile(
      path,
      `Traceback (most recent call last):\n${piece.repeat(1_000_000 / piece.length)}\nx\n`,
    );
    const began = performance.now();
    await new LogDiagnosis(path).conclude();
    expect([piece, performance.now() - began < 500]).toEqual([piece, true]);
  }
});

it("says cause, remedy and the error; of an unknown cause the last error; and nothing where nothing is named", () => {
  const known = diagnose(CAUSE);
  expect(known && explain(known)).toMatch(
    /^A GPU ran out of memory\. .*\(torch\.OutOfMemoryError: /,
  );
  const unknown = diagnose("(FullyAsyncRollouter pid=1, ip=192.0.2.2) RuntimeError: sandbox lost");
  expect(unknown && explain(unknown)).toBe("Unknown cause; last error: RuntimeError: sandbox lost");
  expect(diagnose("step:1 - ErrorRate:0.1\nall is well\n")).toBeNull();
  expect(diagnose("")).toBeNull();
});
