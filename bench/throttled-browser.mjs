// Chromium with its CPU throttled, pages that are signed in, and the clocks that the claims of `bench/ui` read.
import { chromium } from "@playwright/test";
import { ensureChromium } from "../scripts/chromium.mjs";
import { quantile } from "./liverl.mjs";

/** Of a slow desktop, in the unit of `measureIndex`: Lighthouse counts 1,000-1,500 as one, 125-800 as a telephone. */
const SLOW_DESKTOP = 1_000;

/**
 * How fast Chromium's JavaScript is here and now: Lighthouse's `computeBenchmarkIndex` (core/lib/page-functions.js), loop by loop, as
 * its scale is of just these: the mean of one that makes garbage and one that does not.
 */
function measureIndex() {
  function withGarbage() {
    const began = Date.now();
    let rounds = 0;
    while (Date.now() - began < 500) {
      let text = "";
      for (let i = 0; i < 10_000; i += 1) text += "a";
      if (text.length === 1) throw new Error("never: it keeps the loop from being left out");
      rounds += 1;
    }
    return Math.round(rounds / 10 / ((Date.now() - began) / 1_000));
  }
  function withoutGarbage() {
    const one = [];
    const other = [];
    for (let i = 0; i < 100_000; i += 1) {
      one[i] = i;
      other[i] = i;
    }
    const began = Date.now();
    let rounds = 0;
    while (rounds % 10 !== 0 || Date.now() - began < 500) {
      const from = rounds % 2 === 0 ? one : other;
      const to = rounds % 2 === 0 ? other : one;
      for (let i = 0; i < from.length; i += 1) to[i] = from[i];
      rounds += 1;
    }
    return Math.round(rounds / 10 / ((Date.now() - began) / 1_000));
  }
  return (withGarbage() + withoutGarbage()) / 2;
}

/** Installed before any script of a page. */
function installClocks() {
  /** Calls `done` with the time, after the next frame is on the screen. */
  const afterPaint = (done) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now());
      port2.postMessage(null);
    });
  window.clocks = { frames: [], hovers: [], clickedAt: null, afterPaint };
  // Frames under 50 ms are not reported by the browser.
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.clocks.frames.push(entry.duration);
  }).observe({ type: "long-animation-frame", buffered: true });
  addEventListener(
    "click",
    (event) => {
      window.clocks.clickedAt = event.timeStamp;
    },
    true,
  );
  addEventListener(
    "pointermove",
    () => {
      const began = performance.now();
      afterPaint((now) => window.clocks.hovers.push(now - began));
    },
    true,
  );
}

/** `rate`: how many times slower than this machine its pages run; left out, as slow as a slow desktop. */
export async function openBrowser(liverl, rate = null) {
  const chromiumProcess = await chromium.launch({
    executablePath: ensureChromium() ?? undefined,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });

  const blank = await chromiumProcess.newPage();
  // The first is of code that is not compiled yet.
  const indexes = [];
  for (let time = 0; time < 5; time += 1) indexes.push(await blank.evaluate(measureIndex));
  const index = quantile(indexes, 0.5);
  await blank.close();
  const throttle = rate ?? Math.max(1, Math.round((index / SLOW_DESKTOP) * 10) / 10);

  /** A page in a context of its own; throttled from the moment that `throttle` is called. */
  async function newPage() {
    const context = await chromiumProcess.newContext({ viewport: { width: 1440, height: 900 } });
    await context.addInitScript(installClocks);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    return {
      page,
      throttle: () => session.send("Emulation.setCPUThrottlingRate", { rate: throttle }),
      /** Megabytes of JavaScript's heap, after the collector has run. */
      heapMb: async () => {
        await session.send("HeapProfiler.enable");
        await session.send("HeapProfiler.collectGarbage");
        const { usedSize } = await session.send("Runtime.getHeapUsage");
        return Math.round(usedSize / 1e5) / 10;
      },
      close: () => context.close(),
    };
  }

  return {
    newPage,
    /** Of this machine, and how many times slower its pages were made. */
    cpu: { index, throttle },
    signedIn: async () => {
      const opened = await newPage();
      await opened.page.goto((await liverl.post("/api/v1/login-links")).url);
      await opened.page.waitForURL((url) => url.pathname.startsWith("/p/"));
      return opened;
    },
    close: () => chromiumProcess.close(),
  };
}

/** Moves the pointer over an element and back; milliseconds from each move to the frame that shows it. */
export async function hover(page, element, moves) {
  const box = await element.boundingBox();
  await page.evaluate(() => {
    window.clocks.hovers.length = 0;
  });
  for (let move = 0; move < moves; move += 1) {
    const share = Math.abs(((move / 20) % 2) - 1);
    await page.mouse.move(box.x + 4 + share * (box.width - 8), box.y + box.height / 2);
    await page.waitForTimeout(30);
  }
  return spread(await page.evaluate(() => window.clocks.hovers));
}

export function spread(values) {
  const round = (value) => (value === null ? null : Math.round(value * 10) / 10);
  return {
    p50: round(quantile(values, 0.5)),
    p95: round(quantile(values, 0.95)),
    n: values.length,
  };
}
