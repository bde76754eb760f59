import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { corruptWeightSyncs } from "#fixtures/corrupt-weights.ts";
import { expect, type LiveRL, test } from "#fixtures/liverl.ts";

test.describe.configure({ mode: "serial" });

const RUN = "broken-01";
/** The last good sync is the one before; the first step that samples with broken weights is the one after. */
const FIRST_BROKEN_SYNC = 11;
const FAULT_STEP = FIRST_BROKEN_SYNC + 1;
const LONG = { timeout: 1_200_000, intervals: [250] };
const runPath = `/p/quickstart/runs/${RUN}`;

async function ask(liverl: LiveRL, procedure: string, input: unknown, isMutation = false) {
  const token = (await readFile(join(liverl.dataDir, "operator.token"), "utf8")).trim();
  const query = isMutation ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`;
  const answer = await fetch(`${liverl.url}/trpc/${procedure}${query}`, {
    method: isMutation ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: isMutation ? JSON.stringify(input) : undefined,
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${procedure}: ${JSON.stringify(body)}`);
  return body.result.data;
}

interface Verdict {
  word: string;
  advisories: { id: string; title: string; sinceStep: number | null }[];
}

test("the verdict names the fault and the step at which it began, and an alert tells of it", async ({
  liverl,
}) => {
  const { presets } = await ask(liverl, "launch.presets", {});
  const spec = structuredClone(
    presets.find(({ spec }: { spec: { driver: string } }) => spec.driver === "embedded").spec,
  );
  Object.assign(spec, { project: "quickstart", name: "broken" });
  Object.assign(spec.trainer, {
    ...{ total_training_steps: 40, test_freq: 40, save_freq: 40, val_tasks: 8 },
    stop_at_val_reward: null,
  });
  const rule = { kind: "sign", signs: ["weight-sync"] };
  await ask(
    liverl,
    "alert.saveRule",
    { project: "quickstart", name: "Broken sync", level: "bad", condition: rule },
    true,
  );
  const launched = await ask(
    liverl,
    "run.launch",
    { spec, idempotencyKey: "why-reward-dropped" },
    true,
  );
  expect(launched.id).toBe(RUN);
  const step = async () => (await ask(liverl, "run.get", { id: RUN })).step;
  await expect.poll(step, LONG).toBeGreaterThan(0);
  expect(await step(), "the fault must come after steps that were well").toBeLessThan(
    FIRST_BROKEN_SYNC,
  );
  const mended = new AbortController();
  const fault = corruptWeightSyncs(liverl.dataDir, RUN, FIRST_BROKEN_SYNC, mended.signal);
  const named = async () => {
    const { advisories }: Verdict = await ask(liverl, "run.verdict", { id: RUN });
    return advisories.find(({ id }) => id === "weight-sync") ?? null;
  };
  try {
    await expect.poll(named, LONG).not.toBeNull();
  } finally {
    mended.abort();
  }
  expect(await fault).toBeGreaterThan(0);
  const advisory = await named();
  expect(advisory?.sinceStep).toBe(FAULT_STEP);
  expect(advisory?.title).toContain(`part at step ${FAULT_STEP}`);
  const firings = async () =>
    (await ask(liverl, "alert.list", { project: "quickstart", view: "history" })).alerts;
  await expect.poll(async () => (await firings()).length, { timeout: 60_000 }).toBe(1);
  expect((await firings())[0]).toMatchObject({ step: FAULT_STEP, run: { id: RUN } });
  await ask(liverl, "run.stop", { id: RUN, when: "now" }, true);
});

test("from the verdict to the token and the log line, every hop is one click and one address", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(liverl.url + runPath);
  const verdict = page.getByRole("region", { name: "Verdict" });
  await expect(verdict).toContainText(`part at step ${FAULT_STEP}`);

  await verdict
    .getByRole("link", { name: `Step ${FAULT_STEP}` })
    .first()
    .click();
  await expect(page).toHaveURL(new RegExp(`${runPath}/steps/${FAULT_STEP}$`));

  await page
    .getByRole("region", { name: "Groups" })
    .getByRole("link", { name: /^repair/ })
    .first()
    .click();
  await expect(page).toHaveURL(new RegExp(`${runPath}/groups/`));

  await page.getByRole("link", { name: "Rollout 1", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`${runPath}/traj/`));

  await page
    .getByRole("button", { name: /^logprob/i })
    .first()
    .click();
  await page.locator("span[data-index]").first().click();
  await expect(page).toHaveURL(/tok=/);
  await expect(page.getByText("Log-prob", { exact: true })).toBeVisible();

  await page.locator('a[href*="/logs?t="]').first().click();
  await expect(page).toHaveURL(new RegExp(`${runPath}/logs\\?t=`));
  await expect(page.getByRole("region", { name: "Log" })).toContainText(/\S/);
});

test("a person makes a rule, and sets a threshold by which the verdict changes", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/alerts`);
  await page.getByRole("button", { name: "New rule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Make the rule" }).click();
  await expect(dialog).toContainText("give it a name");
  await dialog.getByRole("button", { name: "Run failed or stalled" }).click();
  await dialog.getByRole("button", { name: "Make the rule" }).click();
  await expect(page.getByRole("list", { name: "Rules" })).toContainText(
    "the verdict is Down or Stalled",
  );

  const sees = async () => {
    const { advisories }: Verdict = await ask(liverl, "run.verdict", { id: RUN });
    return advisories.some(({ id }) => id === "weight-sync");
  };
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
