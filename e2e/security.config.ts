import config from "./playwright.config.ts";

/** `npm run e2e:security`: attacks on the running product, over HTTP, WebSocket and Chromium. */
export default { ...config, testDir: "./security", timeout: 120_000 };
