import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, type LiveRL, test } from "#fixtures/liverl.ts";

test.describe.configure({ mode: "serial" });

const panel = (page: Page, name: string) => page.locator(`[data-panel="${name}"]`);

/** A run of `steps` through the metrics API; its reward has a band down to 0, which has no place on a log axis. */
async function log(liverl: LiveRL, run: string, steps: number): Promise<string> {
  const token = (await readFile(join(liverl.dataDir, "operator.token"), "utf8")).trim();
  const began = 1_760_000_000;
  const rows = Array.from({ length: steps }, (_, at) => ({
    step: at + 1,
    time: began + at * 522,
    values: {
      "critic/rewards/mean": 0.16 + 0.36 * (1 - Math.exp(-at / 40)),
      "critic/rewards/min": 0,
      "critic/rewards/max": 1,
      "timing_s/step": at > 120 && at < 125 ? 760 : 500 + (at % 7) * 4,
      "response_length/mean": 131_000 + at,
      "actor/grad_norm": at % 50 === 7 ? "NaN" : 0.25,
      "actor/lr": at % 5 === 0 ? 0 : 1e-6,
      "perf/total_num_tokens": 1_200_000,
    },
  }));
  const answer = await fetch(`${liverl.url}/api/v1/metrics`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ project: "charts", run, rows }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { runId: string }).runId;
}

let long: string;
let short: string;

test("every label of an axis lies inside its chart, by the browser's own measure, linear and log", async ({
  signedIn: page,
  liverl,
}) => {
  long = await log(liverl, "qwen35-9b-cc-async-06", 300);
  short = await log(liverl, "qwen35-9b-cc-async-08", 148);
  for (const query of [
    "view=all",
    "view=all&log=1",
    "view=all&log=1&size=s",
    "view=all&size=l&x=relative",
  ]) {
    await page.goto(
      `${liverl.url}/p/charts/runs/${long}/metrics?${query}&pins=timing_s/step,critic/rewards/mean,response_length/mean`,
    );
    await expect(panel(page, "timing_s/step").locator("text.ax").first()).toBeVisible();
    const found = await page.evaluate(() =>
      [...document.querySelectorAll<SVGSVGElement>("svg.plot-frame")].flatMap((chart) => {
        const box = chart.getBoundingClientRect();
        return [...chart.querySelectorAll("text")].map((label) => {
          const own = label.getBoundingClientRect();
          return {
            text: label.textContent,
            isInside: own.left >= box.left - 0.5 && own.right <= box.right + 0.5,
          };
        });
      }),
    );
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter(({ isInside }) => !isInside)).toEqual([]);
  }
});

test("the tooltip stays inside of its panel", async ({ signedIn: page, liverl }) => {
  await page.goto(`${liverl.url}/p/charts/compare?runs=${long},${short}`);
  const one = panel(page, "critic/rewards/mean");
  for (const part of [0.1, 0.5, 0.95]) {
    const plot = one.getByRole("slider");
    const box = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + box.width * part, box.y + box.height / 2);
    const tip = one.locator(".tip");
    await expect(tip).toBeVisible();
    const [around, inner] = [await one.boundingBox(), await tip.boundingBox()];
    if (around === null || inner === null) throw new Error("nothing is laid out");
    expect(inner.x).toBeGreaterThanOrEqual(around.x);
    expect(inner.x + inner.width).toBeLessThanOrEqual(around.x + around.width + 1);
    expect(inner.y).toBeGreaterThanOrEqual(around.y);
    expect(inner.y + inner.height).toBeLessThanOrEqual(around.y + around.height + 1);
  }
});

test("a zoom changes the value in the head, and Back undoes it", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/charts/runs/${long}/metrics?view=all`);
  const one = panel(page, "critic/rewards/mean");
  await expect(one.locator(".lv")).toHaveText("0.520");
  const box = (await one.getByRole("slider").boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(box.x + 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.1, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/r=\d+:\d+/);
  await expect(one.locator(".lv")).not.toHaveText("0.520");
  await page.goBack();
  await expect(page).not.toHaveURL(/r=/);
  await expect(one.locator(".lv")).toHaveText("0.520");
});

test("a panel's name opens it in full view, which has an address, keys, files, and goes with Back", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/charts/runs/${long}/metrics?view=all`);
  await panel(page, "critic/rewards/mean")
    .getByRole("button", { name: /full view|critic\/rewards\/mean/ })
    .first()
    .click();
  const view = page.getByRole("dialog");
  await expect(view.locator(".recharts-line path").first()).toBeVisible();
  await expect(page).toHaveURL(/full=critic\/rewards\/mean/);
  await expect(view.getByRole("slider", { name: /choose a step/ })).toBeFocused();
  await page.keyboard.press("l");
  await expect(page).toHaveURL(/flog=true/);
  await expect(view.getByRole("row", { name: /mean/ }).first()).toContainText("0.160");
  const files: Record<string, string> = {};
  for (const format of ["SVG", "PNG", "CSV"]) {
    await view.getByRole("button", { name: "Save" }).click();
    const coming = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: new RegExp(`^${format}`) }).click();
    const path = await (await coming).path();
    files[format] = (await readFile(path)).toString("latin1");
  }
  expect(files.SVG).toMatch(/<path[^>]+d="M/);
  expect(files.SVG).not.toContain("var(--");
  expect(files.PNG).toContain("PNG");
  expect(files.PNG?.length).toBeGreaterThan(10_000);
  const rows = files.CSV?.trim().split("\r\n") ?? [];
  expect(rows.filter((row) => row.startsWith("critic/rewards/mean,"))).toHaveLength(300);
  const address = page.url();
  await page.goto(address);
  await expect(view.locator(".recharts-line path").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(view).toHaveCount(0);
  await page.goBack();
  await expect(view).toHaveCount(1);
});

test("runs of unequal length are compared at the step that both reached", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/charts/compare?runs=${long},${short}`);
  const finals = page.getByRole("table", { name: "Finals" });
  await expect(page.getByText(/at step 148, the last that all have reached/)).toBeVisible();
  const rewards = finals.locator("tbody tr td:nth-child(5)");
  await expect(rewards.first()).toContainText("0.511");
  await page
    .getByRole("group", { name: "Finals at" })
    .getByRole("button", { name: "Best" })
    .click();
  await expect(rewards.first()).toContainText("at 300");
  await page.getByRole("button", { name: "Relative" }).click();
  await expect(page).toHaveURL(/x=relative/);
  await page.getByRole("button", { name: "Hide qwen35-9b-cc-async-08" }).click();
  await expect(page).toHaveURL(/off=/);
  await expect(panel(page, "critic/rewards/mean").locator(".lg-v")).toHaveCount(1);
});
