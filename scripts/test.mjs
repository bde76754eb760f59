// `npm test`: installs, checks, unit and integration tests, then the browser; one closing line over all of them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkNode, install } from "./install.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = join(root, "test-results");
/**
 * The browser specs wait for pages as a person would. Where the unit tests alone took this long, a page does not come in
 * any such time, and what fails is the machine: they are left out, loudly.
 */
const TOO_SLOW_S = 1_500;
const SPECS = ["attach", "first-run", "session", "launch-verl"];
const total = { passed: 0, failed: 0, skipped: 0 };
const seconds = {};

function fail(line) {
  process.stderr.write(`${line}\n0 passed, 1 failed\n`);
  process.exit(1);
}

async function phase(name, work) {
  const began = Date.now();
  process.stderr.write(`\n── ${name}\n`);
  const { passed = 0, failed = 0, skipped = 0 } = (await work()) ?? {};
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  seconds[name] = Math.round((Date.now() - began) / 1000);
}

/** A tool that dies before its report is written is a failure, whatever its exit code. */
function reported(path, status, count) {
  if (!existsSync(path)) return { failed: 1 };
  const counted = count(JSON.parse(readFileSync(path, "utf8")));
  if (status !== 0 && counted.failed === 0) counted.failed = 1;
  return counted;
}

function vitest() {
  const path = join(reports, "vitest.json");
  const { status } = spawnSync(
    join(root, "node_modules/.bin/vitest"),
    ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${path}`],
    {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  return reported(path, status, (r) => ({
    passed: r.numPassedTests,
    failed: r.numFailedTests,
    skipped: r.numPendingTests + r.numTodoTests,
  }));
}

/** Specs chosen by `words` of the command line, in a real Chromium against the built product. */
function browser(...words) {
  const taken = seconds["unit and integration"];
  if (taken > TOO_SLOW_S) {
    process.stderr.write(
      `SKIPPED: this machine needed ${taken} s for the unit and integration tests (${TOO_SLOW_S} s is the limit for browser specs). Run them alone: npm run e2e -- ${words.join(" ")}\n`,
    );
    return { skipped: 1 };
  }
  const path = join(reports, "e2e.json");
  rmSync(path, { force: true });
  const { status } = spawnSync(process.execPath, ["scripts/e2e.mjs", ...words], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return reported(path, status, ({ stats }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    skipped: stats.skipped,
  }));
}

checkNode(fail);
await phase("install", () => install({ dev: true, fail }));
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
await phase("checks", async () => (await import("./check.mjs")).runChecks());
await phase("unit and integration", vitest);
await phase("python adapter", async () => (await import("./python.mjs")).runPythonTests(reports));
await phase("security", () => browser("--config", "e2e/security.config.ts"));
for (const name of SPECS) await phase(`browser: ${name}`, () => browser(name));
process.stderr.write(
  `\n${Object.entries(seconds)
    .map(([name, s]) => `${name} ${s} s`)
    .join(" · ")}\n`,
);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`);
process.exit(total.failed ? 1 : 0);
