import { ask, order } from "#fixtures/ask.ts";
import { corruptWeightSyncs } from "#fixtures/corrupt-weights.ts";
import {
  LONG,
  launchEmbedded,
  pathOf,
  sameVerdictOf,
  signOf,
  stopNow,
  untilNamed,
} from "#fixtures/embedded-run.ts";
import { expect, test } from "#fixtures/liverl.ts";
import * as place from "#fixtures/places.ts";
import { walk } from "#fixtures/walk.ts";

test.describe.configure({ mode: "serial" });

const RUN = "broken-01";
/** The last good sync is the one before; the first step that samples with broken weights is the one after. */
const FIRST_BROKEN_SYNC = 11;
const FAULT_STEP = FIRST_BROKEN_SYNC + 1;
const SAYS = `part at step ${FAULT_STEP} (weights v${FIRST_BROKEN_SYNC})`;

test("the verdict names the fault, its step and its weights, and an alert tells of it", async ({
  liverl,
}) => {
  const condition = { kind: "sign", signs: ["weight-sync"] };
  const rule = { project: "quickstart", name: "Broken sync", level: "bad", condition };
  await order(liverl, "alert.saveRule", rule);
  // The evaluation after that sync keeps the trainer from the next step for as long as the fault takes.
  const evaluated = { test_freq: FIRST_BROKEN_SYNC, val_tasks: 64 };
  expect(await launchEmbedded(liverl, "broken", evaluated)).toBe(RUN);
  const step = async () => (await ask<{ step: number }>(liverl, "run.get", { id: RUN })).step;
  await expect.poll(step, LONG).toBeGreaterThan(0);
  expect(await step(), "the fault must come after steps that were well").toBeLessThan(
    FIRST_BROKEN_SYNC,
  );
  const mended = new AbortController();
  const fault = corruptWeightSyncs(liverl.dataDir, RUN, FIRST_BROKEN_SYNC, mended.signal);
  try {
    await untilNamed(liverl, RUN, "weight-sync");
    // Which weights those were is known once the step's last rollout is indexed, a moment after the trainer's own word.
    await expect
      .poll(() => signOf(liverl, RUN, "weight-sync"), { timeout: 30_000 })
      .toMatchObject({ sinceStep: FAULT_STEP, title: expect.stringContaining(SAYS) });
    const firings = async () =>
      (
        await ask<{ alerts: { ruleName: string }[] }>(liverl, "alert.list", {
          project: "quickstart",
          view: "history",
        })
      ).alerts.filter((alert) => alert.ruleName === rule.name);
    await expect.poll(async () => (await firings()).length, { timeout: 60_000 }).toBe(1);
    expect((await firings())[0]).toMatchObject({ step: FAULT_STEP, run: { id: RUN } });
  } finally {
    // As late as can be: a run that goes on with good weights is ill no more.
    mended.abort();
  }
  expect(await fault).toBeGreaterThan(0);
  await stopNow(liverl, RUN);
});

test("what the broken weights bring about is not said again, by the API and by the command line", async ({
  liverl,
}) => {
  const verdict = await sameVerdictOf(liverl, RUN);
  expect(verdict.advisories.map(({ id }) => id)).toEqual(["weight-sync"]);
  expect(verdict).toMatchObject({ word: "Degraded", stability: "bad" });
});

test("from the verdict to the token and the log line, every hop is one click and one address", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(liverl.url + pathOf(RUN));
  await walk(page, [
    place.overview(RUN, SAYS),
    place.step(RUN, FAULT_STEP, { label: `Step ${FAULT_STEP}` }),
    place.group(RUN),
    place.rollout(RUN),
    place.token,
    place.log((at) => at.locator('a[href*="/logs?t="]').first(), /\S/),
  ]);
});

test("from the verdict to the engine's own words, and from the rollout into its sandbox", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(liverl.url + pathOf(RUN));
  const ofSync = (at: typeof page) =>
    place.verdict(at).getByRole("link", { name: "Log of the sync" });
  await walk(page, [
    place.overview(RUN, SAYS),
    place.log(ofSync, `weights updated  version=${FIRST_BROKEN_SYNC}`),
  ]);
  await page.goto(`${liverl.url}${pathOf(RUN)}/steps/${FAULT_STEP}`);
  const { click: _, ...first } = place.step(RUN, FAULT_STEP, { label: "" });
  await walk(page, [first, place.group(RUN), place.rollout(RUN), place.view("Terminal", /\S/)]);
});

test("a person makes a rule, and sets a threshold by which the verdict changes", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/alerts`);
  await page.getByRole("button", { name: "New rule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create rule" }).click();
  await expect(dialog).toContainText("give it a name");
  await dialog.getByRole("button", { name: "Run failed or stalled" }).click();
  await dialog.getByRole("button", { name: "Create rule" }).click();
  await expect(page.getByRole("list", { name: "Rules" })).toContainText(
    "the verdict is Down or Stalled",
  );

  const sees = async () => (await signOf(liverl, RUN, "weight-sync")) !== null;
  expect(await sees()).toBe(true);
  await page.goto(`${liverl.url}/p/quickstart/settings`);
  const name = "Disagreement jumps after a weight sync";
  await page.getByLabel(`Warning above: ${name}`).fill("");
  await page.getByLabel(`Alarm above: ${name}`).fill("");
  await page.getByLabel(`Alarm above: ${name}`).press("Enter");
  await expect(page.getByRole("button", { name: `Reset ${name}` })).toBeVisible();
  expect(await sees()).toBe(false);
  await page.getByRole("button", { name: `Reset ${name}` }).click();
  await expect.poll(sees).toBe(true);
});
