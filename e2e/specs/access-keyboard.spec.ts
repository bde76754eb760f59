import type { Locator, Page } from "@playwright/test";
import { APP_PAGES, openPage } from "#fixtures/app-pages.ts";
import { expect } from "#fixtures/liverl.ts";
import { launchSpec, specOf, test } from "#fixtures/sample.ts";
import { walkByTab } from "#fixtures/walk-by-tab.ts";

/** Not in the order of Tab: a log has a line a moment, and `m` links to the one at the top. A token has ← and →. */
const BY_OTHER_KEYS = ['[aria-label="Log lines"] button', '[aria-label="Turns"] [data-tokens]'];

const pageNamed = (name: string) => {
  const found = APP_PAGES.find((page) => page.name === name);
  if (found === undefined) throw new Error(`there is no page ${name}`);
  return found;
};

/** Its value in words changes with the key. */
async function says(control: Locator, page: Page, key: string): Promise<string> {
  const before = await control.getAttribute("aria-valuetext");
  await page.keyboard.press(key);
  await expect(control).not.toHaveAttribute("aria-valuetext", before ?? "");
  return (await control.getAttribute("aria-valuetext")) ?? "";
}

test("Tab reaches every control of every page, and shows where it is", async ({
  visitor: page,
  liverl,
  sample,
}) => {
  for (const { name, path } of APP_PAGES)
    await test.step(name, async () => {
      await openPage(page, liverl.url + path(sample));
      const { missed, faint } = await walkByTab(page, BY_OTHER_KEYS);
      expect.soft(missed, `${name}: not reached`).toEqual([]);
      expect.soft(faint, `${name}: reached without a sign of it`).toEqual([]);
    });
});

test("arrow keys walk the cells of the task matrix, and Enter opens one", async ({
  visitor: page,
  liverl,
  sample,
}) => {
  await openPage(page, liverl.url + pageNamed("tasks").path(sample));
  await page
    .getByRole("combobox", { name: "Sort" })
    .or(page.getByRole("button", { name: "Name" }))
    .first()
    .click();
  const strips = page.getByRole("slider", { name: /^Visits of/ });
  await strips.first().focus();
  await page.keyboard.press("Home");
  const first = await strips.first().getAttribute("aria-valuetext");
  expect(first).toMatch(/^Step \d+ · \d+ of \d+ solved/);
  await page.keyboard.press("ArrowDown");
  await expect(strips.nth(1)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(strips.first()).toBeFocused();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/groups\//);
});

test("arrow keys walk charts, lanes, points and tokens, and say where they are", async ({
  visitor: page,
  liverl,
  sample,
}) => {
  await openPage(page, liverl.url + pageNamed("overview").path(sample));
  const chart = page.getByRole("slider", { name: /^critic\/rewards\/mean/ });
  await chart.focus();
  expect(await says(chart, page, "ArrowLeft")).toMatch(/^step 6: /);
  expect(await says(chart, page, "ArrowLeft")).toMatch(/^step 5: /);
  await page.keyboard.press("+");
  await expect(page).toHaveURL(/r=/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/steps\/5$/);

  const lanes = page.getByRole("slider", { name: /^Time of \d+ rollouts/ });
  await lanes.focus();
  expect(await says(lanes, page, "ArrowDown")).toMatch(/generate/);
  const points = page.getByRole("slider", { name: /^Rollouts by outcome and length/ });
  await points.focus();
  expect(await says(points, page, "ArrowRight")).toMatch(/tokens$/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/traj\//);

  await page.getByRole("region", { name: "Turns" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/tok=\d+\.0/);
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/tok=\d+\.1/);
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/tok=/);
});

test("a moment of a log is linked to by key", async ({ visitor: page, liverl, sample }) => {
  await openPage(page, liverl.url + pageNamed("logs").path(sample));
  await page.getByRole("region", { name: "Log lines" }).focus();
  await page.keyboard.press("m");
  await expect(page).toHaveURL(/t=\d{4}-/);
});

test("Back leads to the same place of a long list", async ({ visitor: page, liverl, sample }) => {
  await page.setViewportSize({ width: 1440, height: 420 });
  for (const [name, list, link] of [
    ["rollouts", page.getByRole("table", { name: "Rollouts" }), 'a[href*="/traj/"]'],
    ["events", page.locator(".runs-wrap"), 'a[href*="/logs?t="]'],
    ["step", page.locator("#page"), 'a[href*="/traj/"]'],
  ] as const) {
    await openPage(page, liverl.url + pageNamed(name).path(sample));
    const from = page.url();
    await list.hover();
    await page.mouse.wheel(0, 260);
    const top = () => list.evaluate((element) => element.scrollTop);
    await expect.poll(top).toBeGreaterThan(100);
    // A row that is mounted ahead of the view is scrolled to before it is clicked.
    const leaving = list.evaluate(
      (element) =>
        new Promise<number>((done) =>
          element.addEventListener("click", () => done(element.scrollTop), { capture: true }),
        ),
    );
    await list.locator(link).filter({ visible: true }).last().click();
    const left = await leaving;
    await expect(page).not.toHaveURL(from);
    await page.goBack();
    await expect(page).toHaveURL(from);
    await expect(list).toBeVisible();
    await expect.poll(top, { message: name }).toBe(left);
  }
});

test("keys of a page rest while a dialog is over it", async ({ visitor: page, liverl, sample }) => {
  await openPage(page, liverl.url + pageNamed("runs").path(sample));
  const { href } = new URL(page.url());
  await page.getByRole("button", { name: "Attach a run" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Close" }).focus();
  // On the page: to the launch form, to the next run, and into it. Here the last one presses Close.
  for (const key of ["n", "j", "Enter"]) await page.keyboard.press(key);
  await expect(dialog).toBeHidden();
  expect(page.url()).toBe(href);
});

test("a run is stopped and killed by keyboard alone", async ({ visitor: page, liverl, sample }) => {
  const spec = await specOf(liverl, "quickstart");
  Object.assign(spec, { project: sample.project, name: "kept" });
  const id = await launchSpec(liverl, spec, "kept");
  await openPage(page, `${liverl.url}/p/${sample.project}/runs/${id}`);
  const more = page.getByRole("button", { name: "More actions" });
  await more.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Kill…" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  // The harmless button has the focus first.
  await expect(dialog.getByRole("button", { name: "Keep running" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(dialog.getByRole("button", { name: "Kill run" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(more).toBeFocused();
  await expect(page.getByText("Cancelled").first()).toBeVisible({ timeout: 600_000 });
});
