// Finds a Chromium for the browser tests, or installs one: the system's, Debian's package, else Playwright's own.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const run = (command, args) =>
  spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"] }).status === 0;

/** Path of the browser; null leaves the choice to Playwright, which has its own by then. */
export function ensureChromium() {
  const found = [process.env.CHROMIUM_PATH, ...PLACES].find((path) => path && existsSync(path));
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    process.stderr.write("Installing Chromium from Debian\n");
    run("apt-get", ["update", "-qq"]);
    if (
      run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"]) &&
      existsSync(PLACES[0])
    )
      return PLACES[0];
  }
  process.stderr.write("Installing Playwright's own Chromium\n");
  if (run("npx", ["playwright", "install", "chromium"])) return null;
  throw new Error(
    "No Chromium here and none could be installed: install one and set CHROMIUM_PATH to it.",
  );
}
