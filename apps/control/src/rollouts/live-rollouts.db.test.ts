import type { LiveRollout } from "@liverl/contract/live-rollout";
import { afterAll, beforeAll, expect, test } from "vitest";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { appRouter } from "#router.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { startRunnerStandIn } from "#testing/runner-stand-in.ts";

let control: TestControl;
let runner: { close(): Promise<void> };
const runId = "live";
const answers = new Map<string, unknown>();
const api = () => appRouter.createCaller(control.ctx);
const ago = (s: number) => new Date(Date.now() - s * 1_000).toISOString();
const idOf = (index: number) => `${runId}.s2.g0.r${index}`;
const live = (index: number, change: Partial<LiveRollout>): LiveRollout => ({
  ...{ rolloutId: idOf(index), runId, attempt: 1, stage: "generate", since: ago(5) },
  ...{ turns: 2, tokensSampled: 40, tokensTotal: 400, lastSignAt: ago(2), sandbox: null },
  ...change,
});
const tell = (rollouts: readonly LiveRollout[]) =>
  answers.set("/api/v1/live-rollouts", { rollouts });
/** Behind the time for which an answer stays fresh. */
const later = () => new Promise((resolve) => setTimeout(resolve, 1_600));

beforeAll(async () => {
  control = await buildTestContext();
  runner = await startRunnerStandIn(control.ctx.config.dataDir, answers);
  await control.ctx.db.run.create({
    data: {
      ...{ id: runId, project: "tests", name: runId, driver: "embedded", status: "running" },
      ...{ spec: launchSpec(), color: 1 },
    },
  });
  const timings = { queueS: 1, setupS: 2, agentS: 8, generateS: 6, toolS: 2, verifyS: 1 };
  const ended = Array.from({ length: 8 }, (_, index) =>
    trialChange({ runId, step: 1, group: 0, index, cursor: index + 1, timings }),
  );
  const open = Array.from({ length: 4 }, (_, index) =>
    trialChange({
      ...{ runId, step: 2, group: 0, index, cursor: index + 9 },
      ...{ status: index === 3 ? "queued" : "running", reward: null, termination: null },
      ...{ turns: 0, tokensSampled: 0, tokensTotal: 0, timings: null, endedAt: null },
      startedAt: index === 3 ? null : ago(300),
    }),
  );
  await indexTrials(control.ctx, { changes: [...ended, ...open], cursor: 12 });
});
afterAll(async () => {
  await runner.close();
  await control.close();
});

test("running rollouts show stage, turns, tokens and idle time, and one without a sign of life is stuck", async () => {
  tell([
    live(0, {}),
    live(1, { stage: "tool", lastSignAt: ago(240), sandbox: "liverl-1" }),
    live(3, { stage: "queued", turns: null, tokensSampled: null, lastSignAt: ago(900) }),
  ]);
  const { rollouts } = await api().rollout.list({
    ...{ runId, f: "status = running or status = queued", sort: "-idle" },
  });
  expect(
    rollouts.map(({ rolloutId, turns, tokensSampled, live: now }) => [
      ...[rolloutId, turns, tokensSampled, now && [now.stage, now.isStuck, now.usualS]],
    ]),
  ).toEqual([
    [idOf(3), null, null, ["queued", false, null]],
    [idOf(1), 2, 40, ["tool", true, 2 / 3]],
    [idOf(0), 2, 40, ["generate", false, 2]],
    // Nothing is known of it, which is not 0.
    [idOf(2), null, null, null],
  ]);
  expect(rollouts[1]?.live?.sandbox).toBe("liverl-1");
  const found = async (f: string) =>
    (await api().rollout.list({ runId, f })).rollouts.map(({ rolloutId }) => rolloutId);
  expect(await found("stage = tool")).toEqual([idOf(1)]);
  expect(await found("status = running and idle > 60")).toEqual([idOf(1)]);
  expect((await found("status = running and age > 200")).sort()).toEqual([0, 1, 2].map(idOf));
  const group = await api().group.get({ runId, groupId: `${runId}.s2.g0` });
  expect(group.group.rollouts.map((one) => one.live?.stage ?? null)).toEqual([
    ...["generate", "tool", null, "queued"],
  ]);
});

test("a runner that does not answer leaves gaps, not old values", async () => {
  answers.delete("/api/v1/live-rollouts");
  await later();
  const { rollouts } = await api().rollout.list({ runId, f: "status = running" });
  expect(rollouts.map(({ turns, live: now }) => [turns, now])).toEqual([
    ...[0, 1, 2].map(() => [null, null]),
  ]);
});

test("512 rollouts cost one question and stay fresh for all who look", async () => {
  tell(Array.from({ length: 512 }, (_, index) => live(index, {})));
  await later();
  const began = performance.now();
  const pages = await Promise.all(
    Array.from({ length: 8 }, () => api().rollout.list({ runId, f: "status = running" })),
  );
  expect(performance.now() - began).toBeLessThan(5_000);
  for (const { rollouts } of pages) expect(rollouts[0]?.live).not.toBeNull();
  expect(await control.ctx.db.rolloutLive.count()).toBe(512);
});
