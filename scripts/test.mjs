// `npm test`: installs, type-checks, then unit and integration tests; one closing line over all of them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkNode, install } from "./install.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = join(root, "test-results");
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

checkNode(fail);
await phase("install", () => install({ dev: true, fail }));
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
await phase("types", async () => (await import("./check.mjs")).runChecks("tsc"));
await phase("unit and integration", vitest);
process.stderr.write(
  `\n${Object.entries(seconds)
    .map(([name, s]) => `${name} ${s} s`)
    .join(" · ")}\n`,
);
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exit(total.failed ? 1 : 0);
