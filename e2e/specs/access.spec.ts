import {
  APP_DIALOGS,
  closesListFirst,
  holdsTab,
  leavesByTab,
  openDialog,
} from "#fixtures/app-dialogs.ts";
import { APP_PAGES, openPage, REDIRECTS, routesOfApp } from "#fixtures/app-pages.ts";
import { expect } from "#fixtures/liverl.ts";
import { findOverflow, findViolations } from "#fixtures/look-at-page.ts";
import { test } from "#fixtures/sample.ts";

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

test("every route of the app is looked at", () => {
  const known = new Set([...REDIRECTS, ...APP_PAGES.map(({ route }) => route)]);
  expect(routesOfApp().filter((route) => !known.has(route))).toEqual([]);
});

test("every page keeps WCAG 2.1 AA in both themes, and fits in a narrow window", async ({
  visitor: page,
  liverl,
  sample,
}) => {
  for (const { name, path } of APP_PAGES)
    await test.step(name, async () => {
      await openPage(page, liverl.url + path(sample));
      expect.soft(await findViolations(page), name).toEqual([]);
      await page.setViewportSize(PHONE);
      // What is measured in pixels follows a frame later.
      await expect
        .configure({ soft: true })
        .poll(() => findOverflow(page), { message: `${name} in a narrow window`, timeout: 5_000 })
        .toEqual([]);
      await page.setViewportSize(WIDE);
    });
});

test("every dialog keeps them too, holds the focus, and gives it back", async ({
  visitor: page,
  liverl,
  sample,
}) => {
  for (const dialog of APP_DIALOGS)
    await test.step(dialog.name, async () => {
      const on = APP_PAGES.find(({ name }) => name === dialog.on);
      await openPage(page, liverl.url + on?.path(sample));
      const { opened, opener } = await openDialog(page, dialog);
      expect.soft(await findViolations(page), dialog.name).toEqual([]);
      const parts = { page, opened, opener, name: dialog.name };
      if ((await opened.getAttribute("role")) === "menu") {
        await leavesByTab(parts);
        await opener.press("Enter");
        await opened.waitFor();
      } else {
        await holdsTab(parts);
        await closesListFirst(parts);
      }
      await page.keyboard.press("Escape");
      await expect.soft(opened, `${dialog.name} closes by Escape`).toBeHidden();
      await expect
        .soft(opener, `${dialog.name} gives the focus back`)
        .toBeFocused({ timeout: 5_000 });
    });
});
