// Tasks, rewards and result files, read by LiveRL and by Harbor's own models and viewer: `npm run e2e:reality -- harbor
// [--made=2000] [--seed=1]`. `made` is how many made-up task.toml are read by both, too.
//   HARBOR_DIR  where the virtual environment goes (about 300 MB; default .liverl/reality/harbor)
//   PYTHON      its interpreter, 3.12 or newer
//   DOCKER_HOST  a daemon on which both play a task of several steps; without one that part is left out, which is told
// Prints every difference and, last, one JSON object `{name, ok, figures}`. Exit code 0 only when there is none; 3 when the package
// index or Python is not there, which it says.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { playSteps, whyNotPlayed } from "./play-steps.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const suite = fileURLToPath(new URL(".", import.meta.url));
const directory = resolve(process.env.HARBOR_DIR ?? join(root, ".liverl/reality/harbor"));
const requirements = join(suite, "requirements.txt");

function skip(reason) {
  process.stderr.write(`SKIPPED: nothing was compared with Harbor. ${reason}\n`);
  process.stdout.write(`${JSON.stringify({ name: "harbor", ok: false, skipped: reason })}\n`);
  process.exit(3);
}

function run(command, args, { stdout = "inherit" } = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", stdout, "inherit"],
    env: {
      ...process.env,
      HARBOR_TELEMETRY: "0",
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
      PYTHONUTF8: "1",
      PYTHONWARNINGS: "ignore",
    },
  });
  return error ? error.message : status === 0 ? null : `${command} ended with ${status}`;
}

/** Python 3.12 or newer, which Harbor needs; `PYTHON` wins. */
function findPython() {
  const pyenv = join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  const own = existsSync(pyenv)
    ? readdirSync(pyenv).map((name) => join(pyenv, name, "bin/python3"))
    : [];
  const names = [process.env.PYTHON, "python3.12", "python3.13", "python3", ...own].filter(Boolean);
  const isRight = "import sys, venv; sys.exit(sys.version_info < (3, 12))";
  return names.find((name) => spawnSync(name, ["-c", isRight]).status === 0) ?? null;
}

/** Makes the environment once for each list of versions. */
function setUpPython() {
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const venv = join(directory, `venv-${digest}`);
  const python = join(venv, "bin/python");
  if (existsSync(join(venv, ".ready"))) return python;
  const interpreter = findPython();
  if (!interpreter) skip("Python 3.12 or newer is not here (PYTHON names it).");
  process.stderr.write(`Installing Harbor in ${venv}\n`);
  rmSync(venv, { recursive: true, force: true });
  const failed =
    run(interpreter, ["-m", "venv", venv]) ??
    run(python, ["-m", "pip", "install", "-q", "-r", requirements]);
  if (failed) skip(`It could not be installed: ${failed}.`);
  writeFileSync(join(venv, ".ready"), "");
  return python;
}

mkdirSync(directory, { recursive: true });
const python = setUpPython();
const work = join(directory, "work");
rmSync(work, { recursive: true, force: true });
mkdirSync(work);
const program = join(root, "dist/harbor-parity.mjs");
const option = (name, usual) =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual;
const fixtures = join(root, "packages/runner/src/tasks/__fixtures__");
const configs = join(work, "configs");
cpSync(join(fixtures, "task-toml"), configs, { recursive: true });
mkdirSync(join(configs, "made"));
const inputs = [
  join(fixtures, "tasks"),
  join(suite, "cases.json"),
  configs,
  work,
  join(root, "packages/runner/src/harbor-files/__fixtures__/proxy-trajectory.json"),
];
const unplayed = whyNotPlayed();
if (unplayed) process.stderr.write(`SKIPPED: no task of several steps was played. ${unplayed}\n`);
const failed =
  (unplayed ? null : await playSteps({ python, work, to: join(work, "played.json") })) ??
  run(process.execPath, ["scripts/build.mjs", "--only=harbor-parity"], { stdout: "ignore" }) ??
  run(python, [
    join(suite, "make_configs.py"),
    join(configs, "made"),
    option("made", "2000"),
    option("seed", "1"),
  ]) ??
  run(process.execPath, [program, ...inputs]) ??
  run(python, [join(suite, "reference.py"), ...inputs]) ??
  run(process.execPath, [program, ...inputs, "--compare"]);
if (failed) process.stderr.write(`${failed}\n`);
process.exit(failed ? 1 : 0);
