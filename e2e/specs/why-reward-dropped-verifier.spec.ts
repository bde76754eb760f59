import type { RolloutRow, StepView, TrajectoryView } from "@liverl/contract/views";
import { ask } from "#fixtures/ask.ts";
import { breakVerifier } from "#fixtures/break-verifier.ts";
import {
  LONG,
  launchEmbedded,
  pathOf,
  sameVerdictOf,
  signOf,
  stopNow,
  untilNamed,
  untilSynced,
} from "#fixtures/embedded-run.ts";
import { expect, type LiveRL, test } from "#fixtures/liverl.ts";
import * as place from "#fixtures/places.ts";
import { walk } from "#fixtures/walk.ts";

/** Value of a metric at each step; null where it is not a number. */
async function seriesOf(
  liverl: LiveRL,
  runId: string,
  key: string,
): Promise<Map<number, number | null>> {
  const { series } = await ask<{ series: { step: number[]; value: (number | null)[] }[] }>(
    liverl,
    "metric.series",
    { runId, keys: [key], buckets: 4000 },
  );
  const [{ step, value } = { step: [], value: [] }] = series;
  return new Map(step.map((at, i) => [at, value[i] ?? null]));
}

async function untilStep(liverl: LiveRL, id: string, step: number): Promise<void> {
  const now = async () => (await ask<{ step: number }>(liverl, "run.get", { id })).step;
  await expect.poll(now, LONG).toBeGreaterThanOrEqual(step);
}

test.describe("tests that are changed so that right answers fail", () => {
  test.describe.configure({ mode: "serial" });
  const RUN = "mistested-01";
  /** Its evaluation is the first that the broken tests judge: it has the same tasks as the one before. */
  const FAULT_STEP = 10;
  const EVERY = 5;
  const SAYS = `The verifier judges the same answers otherwise since step ${FAULT_STEP}`;

  test("the reward drops, and the verdict names the verifier and not the policy", async ({
    liverl,
  }) => {
    expect(await launchEmbedded(liverl, "mistested", { test_freq: EVERY, val_tasks: 64 })).toBe(
      RUN,
    );
    await untilSynced(liverl, RUN, FAULT_STEP);
    const mend = await breakVerifier(liverl, "wrong-tests");
    try {
      await untilNamed(liverl, RUN, "verifier-contradicts");
      await untilStep(liverl, RUN, FAULT_STEP + 3);
      await stopNow(liverl, RUN);
    } finally {
      await mend();
    }
    expect(await signOf(liverl, RUN, "verifier-contradicts")).toMatchObject({
      sinceStep: FAULT_STEP,
      title: SAYS,
    });
    const rewards = await seriesOf(liverl, RUN, "critic/rewards/mean");
    const before = rewards.get(FAULT_STEP) ?? Number.NaN;
    expect(rewards.get(FAULT_STEP + 2) ?? Number.NaN).toBeLessThan(before / 2);
  });

  test("each answer that it speaks of is there twice, with two rewards", async ({ liverl }) => {
    const step = { runId: RUN, step: FAULT_STEP, mode: "eval" };
    const { contradicted } = await ask<StepView>(liverl, "step.get", step);
    expect(contradicted.length).toBeGreaterThan(2);
    for (const rolloutId of contradicted) {
      const now = await ask<TrajectoryView>(liverl, "trajectory.get", { rolloutId });
      const then = await ask<TrajectoryView>(liverl, "trajectory.get", {
        rolloutId: now.contradiction?.rolloutId,
      });
      expect(then.patch).toBe(now.patch);
      expect([then.rollout.taskId, then.rollout.step]).toEqual([
        now.rollout.taskId,
        FAULT_STEP - EVERY,
      ]);
      expect([then.rollout.reward, now.rollout.reward]).toEqual([1, 0]);
    }
  });

  test("what it explains is not said again, by the API and by the command line", async ({
    liverl,
  }) => {
    const verdict = await sameVerdictOf(liverl, RUN);
    expect(verdict.advisories[0]?.id).toBe("verifier-contradicts");
    expect(verdict.advisories.map(({ id }) => id)).not.toContain("reward-drop");
    expect(verdict).toMatchObject({ word: "Degraded", failures: "bad", progress: "bad" });
  });

  test("from the verdict to the two verdicts on one answer, every hop is one click", async ({
    signedIn: page,
    liverl,
  }) => {
    await page.goto(liverl.url + pathOf(RUN));
    const earlier = `Its verdict at step ${FAULT_STEP - EVERY}`;
    await walk(page, [
      place.overview(RUN, SAYS),
      place.step(RUN, FAULT_STEP, {
        label: `Evaluation of step ${FAULT_STEP}`,
        tail: "?mode=eval",
      }),
      {
        click: (at) => at.getByRole("link", { name: "Both verdicts" }),
        url: /\/traj\/[^?]+\?tab=verifier$/,
        shows: async (at) => {
          await expect(at.getByRole("main")).toContainText("The same answer earned 1");
          await expect(at.getByRole("main")).toContainText("reward 0");
        },
      },
      {
        click: (at) => at.getByRole("link", { name: earlier }),
        url: /\/traj\/[^?]+\?tab=verifier$/,
        shows: (at) => expect(at.getByRole("main")).toContainText("reward 1"),
      },
      place.view("Patch", /return/),
    ]);
  });
});

test.describe("a verifier that crashes", () => {
  test.describe.configure({ mode: "serial" });
  const RUN = "unverified-01";
  const LAST_GOOD_STEP = 5;
  const GROUPS = 4;
  const SIBLINGS = 4;
  let since = Number.NaN;

  const rolloutsOf = async (liverl: LiveRL, f: string) =>
    (
      await ask<{ rollouts: RolloutRow[] }>(liverl, "rollout.list", {
        ...{ runId: RUN, f, sort: "step", limit: 100 },
      })
    ).rollouts;

  test("rollouts end with its error, and none of them gets a reward", async ({ liverl }) => {
    const batch = { train_batch_size: GROUPS, n: SIBLINGS };
    expect(await launchEmbedded(liverl, "unverified", { batch })).toBe(RUN);
    await untilSynced(liverl, RUN, LAST_GOOD_STEP);
    const mend = await breakVerifier(liverl, "crash");
    try {
      await untilNamed(liverl, RUN, "verifier-errors");
      await untilStep(liverl, RUN, LAST_GOOD_STEP + 4);
      await stopNow(liverl, RUN);
    } finally {
      await mend();
    }
    const failed = await rolloutsOf(liverl, "status = failed and mode = train");
    since = Math.min(...failed.map(({ step }) => step ?? Number.NaN));
    expect(since).toBeGreaterThan(LAST_GOOD_STEP);
    const whole = failed.filter(({ step }) => step === since + 1);
    expect(whole).toHaveLength(GROUPS * SIBLINGS);
    for (const { reward, termination, error } of whole)
      expect([reward, termination, error?.exception_type]).toEqual([
        ...[null, "infra-error", "VerifierCrashError"],
      ]);
    // What was sampled is there to be read.
    for (const { turns, tokensSampled, versionSpan } of whole)
      expect([(turns ?? 0) > 0, (tokensSampled ?? 0) > 0, versionSpan]).toEqual([
        true,
        true,
        [since, since],
      ]);
    // A step of which nothing is known has no mean: not 0.
    const rewards = await seriesOf(liverl, RUN, "critic/rewards/mean");
    expect(rewards.get(since + 1)).toBeNull();
    expect((await seriesOf(liverl, RUN, "rollout/reward/mean")).get(since + 1)).toBeNull();
  });

  test("the verdict names the verifier and its error, by the API and by the command line", async ({
    liverl,
  }) => {
    const verdict = await sameVerdictOf(liverl, RUN);
    const advisory = verdict.advisories.find(({ id }) => id === "verifier-errors");
    expect(advisory).toMatchObject({
      title: `The verifier fails since step ${since}`,
      detail: expect.stringContaining("VerifierCrashError"),
    });
    const ids = verdict.advisories.map(({ id }) => id);
    for (const wrong of ["verifier-zero", "reward-drop", "invalid-rollouts"])
      expect(ids).not.toContain(wrong);
  });

  test("from the verdict to the error and the runner's log line of that second", async ({
    signedIn: page,
    liverl,
  }) => {
    await page.goto(liverl.url + pathOf(RUN));
    const says = `The verifier fails since step ${since}`;
    const toStep = place.step(RUN, since, { label: `Step ${since}` });
    await walk(page, [
      place.overview(RUN, says),
      toStep,
      place.group(RUN),
      place.rollout(RUN),
      place.view("Verifier", "VerifierCrashError"),
    ]);
    await page.goto(liverl.url + pathOf(RUN));
    await walk(page, [
      place.overview(RUN, says),
      toStep,
      place.log((at) => at.getByRole("link", { name: /^Log at/ }).first(), "VerifierCrashError"),
    ]);
  });
});
