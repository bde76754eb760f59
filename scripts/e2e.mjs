// `npm run e2e`: installs what is missing, builds, finds or installs a Chromium, then drives the real product with it.
// `npm run e2e:security`: the same with attacks on the running product.
// `npm run screens`: the same with a configuration of its own, whose one spec takes the pictures of docs/screens.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureChromium } from "./chromium.mjs";
import { checkNode, install, stop } from "./install.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
checkNode(stop);
await install({ dev: true, fail: stop });
const built = spawnSync(process.execPath, ["scripts/build.mjs"], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.status !== 0) process.exit(1);
const browser = ensureChromium();
const asked = process.argv.slice(2);
const config = asked.includes("--config") ? [] : ["--config", "e2e/playwright.config.ts"];
const { status } = spawnSync(
  join(root, "node_modules/.bin/playwright"),
  ["test", ...config, ...asked],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...(browser ? { CHROMIUM_PATH: browser } : {}) },
  },
);
process.exit(status ?? 1);
