import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, test } from "#fixtures/liverl.ts";

test.describe.configure({ mode: "serial" });

/** What verl's `file` logger wrote in a synchronous run. */
const recorded = fileURLToPath(
  new URL("../../apps/control/src/metrics/__fixtures__/sync1.jsonl", import.meta.url),
);
let url: string;
let viewUrl: string;

const panel = (page: Page, name: string) => page.locator(`[data-panel="${name}"]`);
const group = (page: Page, name: string) => page.locator(`[data-group="${name}"]`);
const titles = (page: Page, name: string) => group(page, name).locator("h3").allInnerTexts();

test("a panel is pinned and moved by the keyboard, and the address holds it", async ({
  signedIn: page,
  liverl,
}) => {
  const path = join(liverl.dataDir, "sync.jsonl");
  await copyFile(recorded, path);
  await page.goto(`${liverl.url}/p/quickstart/runs`);
  await page.getByRole("button", { name: "Attach a run" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Attach a run" });
  await dialog.getByLabel("Path on this machine").fill(path);
  await dialog.getByLabel("Name of the run").fill("charted");
  await dialog.getByRole("button", { name: "Attach" }).click();
  await page.waitForURL(/\/runs\/charted/);
  url = `${page.url().split("?")[0]}/metrics`;
  await page.goto(url);
  // The view that the preset ships.
  await expect(panel(page, "critic/rewards/mean")).toBeVisible();
  expect(await titles(page, "Pinned")).toContain("actor/grad_norm");
  await page.getByRole("button", { name: "All metrics" }).click();
  await expect(group(page, "Pinned")).toHaveCount(0);
  await panel(page, "actor/entropy").hover();
  await page.keyboard.press("p");
  await expect(group(page, "Pinned").locator("h3")).toHaveText(["actor/entropy"]);
  await panel(page, "critic/score/mean").getByRole("button", { name: /^Pin / }).click();
  await panel(page, "critic/score/mean").getByRole("slider").focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await expect(group(page, "Pinned").locator("h3")).toHaveText([
    "critic/score/mean",
    "actor/entropy",
  ]);
  const address = page.url();
  await page.reload();
  await expect(group(page, "Pinned").locator("h3")).toHaveText([
    "critic/score/mean",
    "actor/entropy",
  ]);
  expect(address).toContain("pins=critic/score/mean,actor/entropy");
});

test("what is shown is saved as a view, which a link opens for others", async ({
  signedIn: page,
}) => {
  await page.goto(`${url}?view=all&pins=actor/entropy`);
  // A click on a page that has no code yet is lost.
  await expect(group(page, "Pinned").locator("h3")).toHaveText(["actor/entropy"]);
  await page.getByRole("button", { name: "Log y" }).click();
  await page.getByRole("button", { name: "Save as…" }).click();
  const dialog = page.getByRole("dialog", { name: "Save this view" });
  await dialog.getByLabel("Name").fill("Entropy");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL(/\?view=v-[0-9a-f]+$/);
  viewUrl = page.url();
  await page.goto(url);
  await expect(page.getByRole("button", { name: "Log y" })).toHaveAttribute(
    "aria-pressed",
    "false",
  );
  await page.goto(viewUrl);
  await expect(group(page, "Pinned").locator("h3")).toHaveText(["actor/entropy"]);
  await expect(page.getByRole("button", { name: "Log y" })).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  const views = page.getByRole("navigation", { name: "Views" });
  await expect(views.getByRole("button", { name: "Entropy" })).toHaveCount(0);
  await page.goto(viewUrl);
  await expect(page.getByText("is not there any more")).toBeVisible();
});

test("an annotation is seen at its step by everyone, until it is deleted", async ({
  signedIn: page,
}) => {
  await page.goto(url);
  await expect(page.getByRole("slider").first()).toBeVisible();
  await page.keyboard.press("a");
  const dialog = page.getByRole("dialog", { name: "Annotate a step" });
  await dialog.getByLabel("Step", { exact: true }).fill("2");
  await dialog.getByLabel("What happened").fill("the tests were mended");
  await dialog.getByRole("button", { name: "Annotate", exact: true }).click();
  const mark = page.getByRole("link", { name: /Annotation at step 2: the tests were mended/ });
  await expect(mark).toBeVisible();
  const plot = panel(page, "actor/entropy").getByRole("slider");
  await plot.focus();
  for (let step = 0; step < 20; step += 1) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowRight");
  await expect(plot).toHaveAttribute("aria-valuetext", /step 2: .*the tests were mended/);
  await mark.click();
  await dialog.getByRole("button", { name: /^Delete/ }).click();
  await expect(mark).toHaveCount(0);
});

test("the metrics that the search leaves are exported with every point", async ({
  signedIn: page,
}) => {
  await page.goto(`${url}?view=all&q=^actor/lr$`);
  await expect(panel(page, "actor/lr")).toBeVisible();
  await page.getByRole("button", { name: "Export what is shown" }).click();
  const coming = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /^CSV/ }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toMatch(/^charted.*-metrics\.csv$/);
  const [head, ...rows] = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
  expect(head).toBe("key,step,wall_time,value");
  const logged = (await readFile(recorded, "utf8"))
    .trim()
    .split("\n")
    .filter((line) => "actor/lr" in JSON.parse(line).data);
  expect(rows).toHaveLength(logged.length);
  expect(rows.every((row) => row.startsWith("actor/lr,"))).toBe(true);
});

test("the same points by time and by tokens", async ({ signedIn: page }) => {
  await page.goto(`${url}?view=all&q=^actor/entropy$`);
  const ticks = () => panel(page, "actor/entropy").locator("text.ax").allTextContents();
  await expect.poll(async () => (await ticks()).length).toBeGreaterThan(2);
  const bySteps = await ticks();
  await page.keyboard.press("x");
  await expect(page).toHaveURL(/x=wall/);
  await expect.poll(ticks).not.toEqual(bySteps);
  await page.getByRole("button", { name: "Tokens" }).click();
  await expect(page).toHaveURL(/x=tokens/);
  await expect.poll(async () => (await ticks()).join(" ")).toMatch(/000/);
});
