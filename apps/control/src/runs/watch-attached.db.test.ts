import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { attachRun } from "#runs/attach-run.ts";
import { getVerdict } from "#runs/get-verdict.ts";
import {
  type AttachedEvidence,
  checkAttached,
  endOfAttached,
  plannedStepsOf,
} from "#runs/watch-attached.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { until } from "#testing/until.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

const HOUR_MS = 3_600_000;
const line = (step: number) =>
  `${JSON.stringify({ step, data: { "critic/rewards/mean": 0.5, "timing_s/step": 2 } })}\n`;

async function attach(name: string, { text, ageMs }: { text: string; ageMs: number }) {
  const path = join(control.ctx.config.dataDir, `${name}.jsonl`);
  await writeFile(path, text);
  const written = new Date(Date.now() - ageMs);
  await utimes(path, written, written);
  const { id } = await attachRun(control.ctx, { project: "tests", name, path });
  await until(async () => (await lastWallOf(id)) !== null);
  return { id, path };
}
const lastWallOf = async (runId: string) =>
  (await control.ctx.db.series.aggregate({ where: { runId }, _max: { lastWall: true } }))._max
    .lastWall;
const rowOf = (id: string) => control.ctx.db.run.findUniqueOrThrow({ where: { id } });

it("a file of a run that ended before it was attached is ended, never stalled", async () => {
  const text = await readFile(
    new URL("../metrics/__fixtures__/fa1.jsonl", import.meta.url),
    "utf8",
  );
  const { id, path } = await attach("old", { text, ageMs: 5 * HOUR_MS });
  expect((await getVerdict(control.ctx, { id })).word).not.toBe("Stalled");
  const seen = new Set<string>();
  await checkAttached(control.ctx, seen);
  const row = await rowOf(id);
  expect(row).toMatchObject({
    status: "ended",
    statusReason: "nothing was written since it was attached",
  });
  expect(Date.now() - (row.endedAt?.getTime() ?? 0)).toBeGreaterThan(4 * HOUR_MS);
  const verdict = await getVerdict(control.ctx, { id });
  expect(verdict.word).not.toBe("Stalled");
  expect(verdict.advisories.map((advisory) => advisory.id)).not.toContain("bad-start");

  await appendFile(path, line(7));
  await until(async () => ((await lastWallOf(id)) ?? 0) > Date.now() - HOUR_MS);
  await checkAttached(control.ctx, seen);
  expect(await rowOf(id)).toMatchObject({ status: "running", endedAt: null });
});

it.runIf(process.platform === "linux")(
  "a file that a living program holds open is stalled, and ended once the program is gone",
  async () => {
    const { id, path } = await attach("held", { text: line(1), ageMs: HOUR_MS });
    const writer = holdOpen(path);
    try {
      await once(writer.stdout ?? writer, "data");
      const seen = new Set<string>();
      await checkAttached(control.ctx, seen);
      expect((await rowOf(id)).status).toBe("running");
      writer.kill();
      await once(writer, "exit");
      await checkAttached(control.ctx, seen);
      expect(await rowOf(id)).toMatchObject({
        status: "ended",
        statusReason: "the program that wrote its metrics has exited",
      });
    } finally {
      writer.kill("SIGKILL");
    }
  },
);

function holdOpen(path: string): ChildProcess {
  const program = `require("node:fs").openSync(${JSON.stringify(path)}, "a"); console.log("open"); setInterval(() => {}, 1e6)`;
  return spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
}

const MINUTE_MS = 60_000;
const quiet = (quietMs: number, change: Partial<AttachedEvidence> = {}): AttachedEvidence => ({
  ...{ attachedMs: 0, lastPointMs: 1000, nowMs: 1000 + quietMs, limitMs: 10 * MINUTE_MS },
  ...{ writers: 0, hadWriter: false, lastStep: 10, plannedSteps: null },
  ...change,
});
it.each([
  ["logs", quiet(MINUTE_MS), null],
  ["is silent for a while, which may be a stall", quiet(HOUR_MS), null],
  ["is silent for a day", quiet(25 * HOUR_MS), "no metrics for 24 hours"],
  ["is held open, however long it is silent", quiet(25 * HOUR_MS, { writers: 1 }), null],
  ["reached its planned steps", quiet(HOUR_MS, { plannedSteps: 10 }), "all 10 planned steps"],
  ["counts planned steps from 0", quiet(HOUR_MS, { plannedSteps: 11 }), "all 11 planned steps"],
  ["is not through its planned steps", quiet(HOUR_MS, { plannedSteps: 100 }), null],
  ["was not written since it was attached", quiet(HOUR_MS, { attachedMs: 5000 }), "nothing was"],
  ["was attached a moment ago", quiet(MINUTE_MS, { attachedMs: 5000 }), null],
  ["logged nothing yet", quiet(HOUR_MS, { lastPointMs: null }), null],
])("a run that %s", (_, evidence, why) => {
  const reason = endOfAttached(evidence);
  if (why === null) expect(reason).toBeNull();
  else expect(reason).toContain(why);
});

it.each([
  [{ trainer: { total_training_steps: 40 } }, 40],
  [{ "trainer.total_training_steps": "40" }, 40],
  [{ args: { num_rollout: 12 } }, 12],
  [{ max_steps: -1 }, null],
  [{ max_steps: null, name: "x" }, null],
  [null, null],
])("planned steps of %j", (config, steps) => {
  expect(plannedStepsOf(config)).toBe(steps);
});
