// `npm run e2e`: builds, finds or installs a Chromium, then drives the real product with it.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureChromium } from "./chromium.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const built = spawnSync(process.execPath, ["scripts/build.mjs"], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.status !== 0) process.exit(1);
const browser = ensureChromium();
const { status } = spawnSync(
  join(root, "node_modules/.bin/playwright"),
  ["test", "--config", "e2e/playwright.config.ts", ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...(browser ? { CHROMIUM_PATH: browser } : {}) },
  },
);
process.exit(status ?? 1);
