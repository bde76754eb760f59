// Chat templates of real models, rendered by the proxy and by Python's `transformers`: `npm run e2e:reality -- render-parity`.
//   RENDER_PARITY_DIR  where the virtual environment goes (about 150 MB; default .liverl/reality/render-parity)
//   PYTHON             its interpreter (default python3)
// Prints a table and, last, one JSON object `{name, ok, figures}`. Exit code 0 only when every render is equal or refused by both.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const suite = fileURLToPath(new URL(".", import.meta.url));
const directory = resolve(
  process.env.RENDER_PARITY_DIR ?? join(root, ".liverl/reality/render-parity"),
);
const requirements = join(suite, "requirements.txt");
const templates = join(root, "packages/proxy/src/testing/templates");

function skip(reason) {
  process.stderr.write(`SKIPPED: nothing was compared with transformers. ${reason}\n`);
  process.stdout.write(
    `${JSON.stringify({ name: "render-parity", ok: false, skipped: reason })}\n`,
  );
  process.exit(0);
}

function run(command, args, { stdout = "inherit" } = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", stdout, "inherit"],
    // The comparison needs no hub, and none may answer for it.
    env: { ...process.env, HF_HUB_OFFLINE: "1", PYTHONUTF8: "1" },
  });
  return error ? error.message : status === 0 ? null : `${command} ended with ${status}`;
}

/** Makes the environment once for each list of versions. */
function setUpPython() {
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const venv = join(directory, `venv-${digest}`);
  const python = join(venv, "bin/python");
  if (existsSync(join(venv, ".ready"))) return python;
  process.stderr.write(`Installing transformers in ${venv}\n`);
  rmSync(venv, { recursive: true, force: true });
  const failed =
    run(process.env.PYTHON ?? "python3", ["-m", "venv", venv]) ??
    run(python, ["-m", "pip", "install", "-q", "--only-binary=:all:", "-r", requirements]);
  if (failed) skip(`Its package could not be installed: ${failed}.`);
  writeFileSync(join(venv, ".ready"), "");
  return python;
}

mkdirSync(directory, { recursive: true });
const python = setUpPython();
const work = join(directory, "work");
rmSync(work, { recursive: true, force: true });
mkdirSync(work);
const program = join(root, "dist/render-parity.mjs");
const snippets = join(root, "packages/proxy/src/jinja/__fixtures__/snippets.jsonl");
const inputs = [templates, join(suite, "conversations.jsonl"), snippets, work];
const failed =
  run(process.execPath, ["scripts/build.mjs", "--only=render-parity"], { stdout: "ignore" }) ??
  run(process.execPath, [program, ...inputs]) ??
  run(python, [join(suite, "reference.py"), ...inputs]) ??
  run(process.execPath, [program, ...inputs, "--compare"]);
process.exit(failed ? 1 : 0);
