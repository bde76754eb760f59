// The metrics page with 100 panels of 300 points: the first 12 panels, a live tick, a hover, and the heap after all were seen.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { hover, spread } from "../throttled-browser.mjs";

const PANELS = 100;
const POINTS = 300;
const FIRST = 12;
const TICKS = 40;
const MOVES = 120;
const BUDGETS = { firstPanelsMs: 1_000, tickMsP95: 100, hoverMsP95: 33, heapMb: 150 };

/** A page with one chart of 300 points on a canvas and nothing else: what a frame costs here and now. */
const FLOOR_PAGE = `<!doctype html><canvas width="400" height="120" style="border:1px solid"></canvas><script>
  const context = document.querySelector("canvas").getContext("2d");
  let points = ${POINTS};
  function draw() {
    context.clearRect(0, 0, 400, 120);
    context.beginPath();
    for (let i = 0; i < points; i++) context.lineTo((i / points) * 400, 60 + 50 * Math.sin(i / 20));
    context.stroke();
  }
  window.tick = () => { points += 1; draw(); };
  draw();
</script>`;

async function measureFloor(browser) {
  const { page, throttle, heapMb, close } = await browser.newPage();
  await throttle();
  const began = Date.now();
  // Not `setContent`: it would take the clocks off the page.
  await page.goto(`data:text/html,${encodeURIComponent(FLOOR_PAGE)}`);
  await page.evaluate(() => new Promise((done) => window.clocks.afterPaint(done)));
  const firstChartMs = Date.now() - began;
  const frames = [];
  for (let tick = 0; tick < TICKS; tick += 1)
    frames.push(await longestFrame(page, () => page.evaluate(() => window.tick())));
  const hoverMs = await hover(page, page.locator("canvas"), MOVES);
  const floor = { firstChartMs, tickMs: spread(frames), hoverMs, heapMb: await heapMb() };
  await close();
  return floor;
}

/** The longest frame after an act; 0 stands for all under 50 ms. */
async function longestFrame(page, act) {
  await page.evaluate(() => {
    window.clocks.frames.length = 0;
  });
  await act();
  await page.waitForTimeout(400);
  return Math.max(0, ...(await page.evaluate(() => window.clocks.frames)));
}

const keyOf = (panel) => `bench/quantity_${String(panel).padStart(3, "0")}`;
function row(step) {
  const data = Array.from({ length: PANELS }, (_, i) => [
    keyOf(i),
    Math.sin(step / 20 + i) + step / 300,
  ]);
  return `${JSON.stringify({ step, data: Object.fromEntries(data) })}\n`;
}

async function attach(liverl) {
  const folder = join(liverl.dataDir, "attached");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "metrics-panels.jsonl");
  appendFileSync(path, Array.from({ length: POINTS }, (_, i) => row(i + 1)).join(""));
  const { id } = await liverl.mutate("run.attach", {
    project: "bench",
    name: "metrics-panels",
    path,
  });
  return { id, write: (step) => appendFileSync(path, row(step)) };
}

/** Resolves with the page's clock once so many panels have a plot that is on the screen. */
function untilPanels(page, wanted) {
  return page.evaluate(
    (count) =>
      new Promise((done) => {
        const look = () => {
          if (document.querySelectorAll("[data-panel] .plot-frame").length < count) return;
          observer.disconnect();
          window.clocks.afterPaint(done);
        };
        const observer = new MutationObserver(look);
        observer.observe(document, { subtree: true, childList: true, attributes: true });
        look();
      }),
    wanted,
  );
}

/** From the click on the tab, with the app open; and from an empty tab, with all of its code to load. */
async function measureFirst({ page, throttle }, liverl, id) {
  const run = `${liverl.url}/p/bench/runs/${id}`;
  await page.goto(`${run}/events`);
  await page.getByRole("link", { name: "Metrics" }).first().waitFor();
  await page.waitForTimeout(2_000);
  await throttle();
  await page.getByRole("link", { name: "Metrics" }).first().click();
  const shownAt = await untilPanels(page, FIRST);
  const firstPanelsMs = Math.round(shownAt - (await page.evaluate(() => window.clocks.clickedAt)));
  await page.goto(`${run}/metrics?view=all`);
  const firstPanelsFromNothingMs = Math.round(await untilPanels(page, FIRST));
  return { firstPanelsMs, firstPanelsFromNothingMs };
}

/** Scrolls through all panels, so that each was drawn once. */
async function seeAll(page) {
  const panels = page.locator("[data-panel]");
  const count = await panels.count();
  if (count !== PANELS) throw new Error(`${count} panels on the page, wanted ${PANELS}`);
  for (let panel = 0; panel < count; panel += 6) {
    await panels.nth(panel).scrollIntoViewIfNeeded();
    await page.waitForTimeout(150);
  }
  await panels.first().scrollIntoViewIfNeeded();
  await page.waitForTimeout(1_000);
}

export async function claim({ liverl, browser }) {
  const floor = await measureFloor(browser);
  const run = await attach(liverl);
  const opened = await browser.signedIn();
  const { page, heapMb, close } = opened;
  const first = await measureFirst(opened, liverl, run.id);
  await page.waitForTimeout(2_000);
  const frames = [];
  for (let tick = 0; tick < TICKS; tick += 1)
    frames.push(await longestFrame(page, () => run.write(POINTS + 1 + tick)));
  const last = await page.locator("[role=slider]").first().getAttribute("aria-valuemax");
  if (Number(last) !== POINTS + TICKS) throw new Error(`the page shows step ${last}`);
  const tickMs = spread(frames);
  const hoverMs = await hover(page, page.locator("[role=slider]").nth(4), MOVES);
  await seeAll(page);
  const figures = { ...first, tickMs, hoverMs, heapMb: await heapMb(), budgets: BUDGETS };
  await close();
  return {
    ok:
      figures.firstPanelsMs < BUDGETS.firstPanelsMs &&
      tickMs.p95 < BUDGETS.tickMsP95 &&
      hoverMs.p95 < BUDGETS.hoverMsP95 &&
      figures.heapMb < BUDGETS.heapMb,
    figures,
    floor,
  };
}
