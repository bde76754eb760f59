// The tests of the Python adapter, in an environment of their own in .cache: ruff, mypy, pytest. verl itself is not installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const adapter = join(root, "packages/verl-adapter");
const venv = join(root, ".cache/verl-adapter");
const PACKAGES = [
  "aiohttp==3.13.0",
  "mypy==1.18.2",
  "numpy==2.2.6",
  "pydantic==2.11.10",
  "pytest==8.4.2",
  "pytest-asyncio==1.2.0",
  "ruff==0.14.0",
];

/** The first interpreter from 3.10 to 3.13 that can make environments; null where there is none. */
export function findPython() {
  const pyenv = join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  const own = existsSync(pyenv)
    ? readdirSync(pyenv).map((name) => join(pyenv, name, "bin/python3"))
    : [];
  const names = ["python3.12", "python3.11", "python3.10", "python3.13", "python3", ...own];
  const fits = "import ensurepip, sys, venv; sys.exit(not (3, 10) <= sys.version_info < (3, 14))";
  return names.find((name) => spawnSync(name, ["-c", fits]).status === 0) ?? null;
}

function install(python) {
  const stamp = join(venv, "installed");
  const wanted = createHash("sha256").update(PACKAGES.join(" ")).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return true;
  rmSync(venv, { recursive: true, force: true });
  mkdirSync(venv, { recursive: true });
  const run = (command, ...args) =>
    spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] }).status === 0;
  const done =
    run(python, "-m", "venv", venv) &&
    run(
      join(venv, "bin/python"),
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      ...PACKAGES,
    );
  if (done) writeFileSync(stamp, wanted);
  return done;
}

/** `{passed, failed, skipped}`; skipped, loudly, where the machine has no Python or no package index. */
export function runPythonTests(reports) {
  const python = findPython();
  if (!python || !install(python)) {
    const why = python ? "the package index can not be reached" : "there is no Python 3.10 to 3.13";
    process.stderr.write(`SKIPPED: the tests of packages/verl-adapter: ${why}\n`);
    return { skipped: 1 };
  }
  const result = { passed: 0, failed: 0, skipped: 0 };
  const run = (name, ...args) =>
    spawnSync(join(venv, "bin/python"), ["-m", name, ...args], {
      cwd: adapter,
      stdio: ["ignore", "inherit", "inherit"],
    }).status === 0;
  for (const check of [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]])
    if (run(...check)) result.passed++;
    else result.failed++;
  const report = join(reports, "pytest.xml");
  mkdirSync(reports, { recursive: true });
  rmSync(report, { force: true });
  const isGood = run("pytest", "-q", `--junit-xml=${report}`);
  const suite = existsSync(report)
    ? (/<testsuite [^<>]*>/.exec(readFileSync(report, "utf8"))?.[0] ?? "")
    : "";
  const count = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  result.failed += isGood ? failed : Math.max(1, failed);
  result.skipped += count("skipped");
  result.passed += Math.max(0, count("tests") - failed - count("skipped"));
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed = 0, failed = 0, skipped = 0 } = runPythonTests(join(root, "test-results"));
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  process.exit(failed ? 1 : 0);
}
