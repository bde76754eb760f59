// A rollout of 131,072 tokens in the inspector, and what becomes of it with a tenth and a hundredth: in Chromium as slow
// as a slow desktop (`--throttle 4`: at a quarter of this machine's speed), when its conversation is first painted after a press of its link, on which the pointer rested, the longest frames while it scrolls, plain and with the
// tokens tinted by a lens, and the heap.
// The record is a real run's, stretched in the product's own format. Prints one JSON object last; exit 0 only within the
// budgets: 500 ms to the first paint, no frame over 50 ms, at most 4,096 tokens mounted.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { LiveRL, report, say, until } from "./liverl.mjs";
import { recordPath, stretchRecord } from "./long-trajectory.mjs";
import { openBrowser } from "./throttled-browser.mjs";

const { values } = parseArgs({
  options: {
    warmup: { type: "string" },
    json: { type: "boolean" },
    throttle: { type: "string" },
  },
});
const SIZES = [1_311, 13_107, 131_072];
const BUDGET = { paintMs: 500, frameMs: 50, mounted: 4_096 };
const SCROLLS = 120;
/** From a table's rows to the pointer on one of them: what the load of a page leaves to be tidied up is no part of opening a rollout. */
const LOOK_MS = 1_500;
/** Of a pointer on a link before the press: a quick hand's. */
const REST_MS = 150;
/** Tints each token by its own number. */
const LENS = "logprob";

const liverl = await LiveRL.create(values);
await liverl.start();
const runId = await finishedRollouts();
const { rollouts } = await liverl.query("rollout.list", { runId, limit: 50 });
const done = rollouts.filter(({ status, turns }) => status === "succeeded" && turns > 0);
const cases = SIZES.map((tokens, i) => {
  const { rolloutId, sessionId } = done[i];
  const path = recordPath(liverl.dataDir, sessionId);
  return { rolloutId, ...stretchRecord(path, tokens) };
});

const browser = await openBrowser(
  liverl,
  values.throttle === undefined ? null : Number(values.throttle),
);
const { page, throttle, heapMb } = await browser.signedIn();
await page.addInitScript(watchPage);
await throttle();

const figures = [];
// The first one is opened twice: what every page needs is compiled and cached then.
for (const one of [cases[0], ...cases]) {
  const opened = await openAndScroll(one);
  say(JSON.stringify(opened));
  figures.push(opened);
}
figures.shift();
await browser.close();
await liverl.stop();
liverl.remove();
const isSmooth = ({ longestFrameMs, mostTokensMounted }) =>
  longestFrameMs < BUDGET.frameMs && mostTokensMounted <= BUDGET.mounted;
const ok = figures.every(
  ({ firstPaintMs, plain, lens }) =>
    firstPaintMs < BUDGET.paintMs && isSmooth(plain) && isSmooth(lens),
);
report("trajectory-view", { ok, figures: { cpu: browser.cpu, budget: BUDGET, cases: figures } });

/** A run with as many finished rollouts as there are sizes, which is stopped then: its records are what is needed. */
async function finishedRollouts() {
  const spec = await liverl.presetSpec("quickstart");
  if (!values.warmup) spec.model.warmup_steps = 10;
  const { id } = await liverl.launch(spec);
  await until(
    async () => {
      const { rollouts: rows } = await liverl.query("rollout.list", { runId: id, limit: 50 });
      return rows.filter(({ status, turns }) => status === "succeeded" && turns > 0).length >= 3;
    },
    { what: "three finished rollouts", timeoutMs: 900_000, everyMs: 1_000 },
  );
  await liverl.mutate("run.stop", { id, when: "now" });
  await sleep(2_000);
  return id;
}

async function openAndScroll({ rolloutId, tokens, turns }) {
  // From a page of the same app, as one comes to it: by its link, and not by a reload of the app.
  const filter = encodeURIComponent(`id = "${rolloutId}"`);
  await page.goto(`${liverl.url}/p/quickstart/runs/${runId}/rollouts?f=${filter}`);
  await page.locator(`a[href*="/traj/"]`).first().waitFor();
  const href = `/p/quickstart/runs/${runId}/traj/${rolloutId}`;
  const link = page.locator(`a[href^="${href}"]`).first();
  // Playwright brings its own script with the first wait, 20 ms of the page's time: none of the product's.
  await page.waitForFunction(() => true);
  // The table is looked at before; then, as a hand does, the pointer rests on the link before it presses.
  await sleep(LOOK_MS);
  await link.hover();
  await sleep(REST_MS);
  await link.click();
  await page.waitForFunction(() => window.painted !== null, null, { timeout: 60_000, polling: 50 });
  const firstPaintMs = await page.evaluate(() => window.painted);
  const plain = await scroll();
  await page.getByRole("group", { name: "Lens" }).getByRole("button", { name: LENS }).click();
  const lens = await scroll();
  return {
    ...{ tokens, turns, firstPaintMs: Math.round(firstPaintMs) },
    ...{ plain, lens, heapMb: await heapMb() },
  };
}

/** Down from the top by the wheel: the longest frames meanwhile, and the most that was mounted. */
async function scroll() {
  const list = page.getByRole("region", { name: "Turns" });
  await list.evaluate((element) => element.scrollTo(0, 0));
  await sleep(2_000);
  let mostTokensMounted = 0;
  let mostTurnsMounted = 0;
  await list.hover();
  await page.evaluate(() => window.startFrames());
  for (let i = 0; i < SCROLLS; i += 1) {
    await page.mouse.wheel(0, 600);
    await sleep(40);
    if (i % 10 !== 0) continue;
    const mounted = await page.evaluate(() => window.mounted());
    mostTokensMounted = Math.max(mostTokensMounted, mounted.tokens);
    mostTurnsMounted = Math.max(mostTurnsMounted, mounted.turns);
  }
  const frames = await page.evaluate(() => window.stopFrames());
  const longest = (what) => Math.round(Math.max(0, ...frames.map((frame) => frame[what])));
  return {
    longestFrameMs: longest("worked"),
    longestWithWaitMs: longest("waited"),
    framesOver50Ms: frames.filter(({ worked }) => worked > 50).length,
    ...{ mostTokensMounted, mostTurnsMounted },
  };
}

/** Installed before any script of the page. */
function watchPage() {
  window.painted = null;
  let openedAt = null;
  let frames = [];
  const onLink = (event) => {
    if (event.target.closest("a[href*='/traj/']")) openedAt = event.timeStamp;
  };
  addEventListener("click", onLink, true);
  new MutationObserver(() => {
    // Text of a turn, not its place.
    const isThere = document.querySelector("article[data-node] span[data-index]") !== null;
    if (openedAt === null || !isThere) return;
    const from = openedAt;
    openedAt = null;
    // After the next frame's paint.
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        window.painted = performance.now() - from;
      };
      port2.postMessage(null);
    });
  }).observe(document, { subtree: true, childList: true });
  // Frames whose scripts, styles, layout and paint took long; Chromium tells of those of 50 ms and more. Its `duration` counts also how
  // long a frame that was asked for waited for the display's next one, up to 17 ms of nothing: from the end of its last script to the
  // start of its rendering.
  const waitOf = ({ startTime, renderStart, scripts }) => {
    const before = scripts.filter((script) => script.startTime < renderStart);
    const ends = before.map((script) => script.startTime + script.duration);
    return Math.max(0, renderStart - Math.max(startTime, ...ends));
  };
  const observer = new PerformanceObserver((entries) => {
    for (const entry of entries.getEntries())
      frames.push({ waited: entry.duration, worked: entry.duration - waitOf(entry) });
  });
  window.startFrames = () => {
    frames = [];
    observer.observe({ type: "long-animation-frame" });
  };
  window.stopFrames = () => {
    observer.disconnect();
    return frames;
  };
  window.mounted = () => {
    const strips = [...document.querySelectorAll("article [data-tokens]")];
    return {
      turns: document.querySelectorAll("article[data-node]").length,
      tokens: strips.reduce((sum, one) => sum + Number(one.dataset.tokens), 0),
    };
  };
}
