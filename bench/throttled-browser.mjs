// Chromium with its CPU throttled, pages that are signed in, and the clocks that the claims of `bench/ui` read.
import { chromium } from "@playwright/test";
import { ensureChromium } from "../scripts/chromium.mjs";
import { quantile } from "./liverl.mjs";

/** How many times slower than this machine a page runs. */
const THROTTLE = 4;

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

export async function openBrowser(liverl) {
  const chromiumProcess = await chromium.launch({
    executablePath: ensureChromium() ?? undefined,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });

  /** A page in a context of its own; throttled from the moment that `throttle` is called. */
  async function newPage() {
    const context = await chromiumProcess.newContext({ viewport: { width: 1440, height: 900 } });
    await context.addInitScript(installClocks);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    return {
      page,
      throttle: () => session.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE }),
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
    signedIn: async () => {
      const opened = await newPage();
      await opened.page.goto((await liverl.post("/api/v1/login-links")).url);
      await opened.page.waitForURL((url) => !url.pathname.startsWith("/start"));
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
