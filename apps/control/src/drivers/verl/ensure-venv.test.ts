import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRecorded, isAlive } from "@liverl/durable/process";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ensureVenv, STOPPED } from "#drivers/verl/ensure-venv.ts";

/** Stands in for Python: `-m venv` copies itself, `pip install` prints as pip does, and the version is what `pip-says` names. */
const PYTHON = `#!/bin/sh
here=$(dirname "$0")
case "$*" in
  "-c import sys"*) echo "$0" ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && echo "$PWD" > "$3/bin/home" ;;
  "-m pip "*) echo "Collecting verl[vllm]"; sleep 1; echo "Installing collected packages: verl"; sleep 1; echo x >> "$(cat "$here/home")/installs" ;;
  *) cat "$(cat "$here/home")/pip-says" ;;
esac
`;
let dataDir: string;
let python: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-venv-"));
  python = join(dataDir, "python");
  await writeFile(python, PYTHON);
  await chmod(python, 0o755);
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));
beforeEach(() => rm(join(dataDir, "installs"), { force: true }));

const config = () => ({ dataDir, processes: join(dataDir, "processes") });
const options = (version: string) => ({ version, python, logPath: join(dataDir, "venv.log") });
const never = new AbortController().signal;
const installs = async () => (await readFile(join(dataDir, "installs"), "utf8")).length / 2;

it("makes the environment once, and tells how far it is", async () => {
  await writeFile(join(dataDir, "pip-says"), "0.9.1\n");
  const told: string[] = [];
  const venv = await ensureVenv(config(), options("0.9.1"), (detail) => told.push(detail), never);
  expect(venv).toBe(join(dataDir, "venvs/verl-0.9.1"));
  expect(told).toContain("Collecting verl[vllm]");
  await ensureVenv(config(), options("0.9.1"), () => undefined, never);
  expect(await installs()).toBe(1);
});

it("a control that was killed in the middle waits for the same installation", async () => {
  await writeFile(join(dataDir, "pip-says"), "0.9.2\n");
  const killed = new AbortController();
  const first = ensureVenv(config(), options("0.9.2"), () => killed.abort(), killed.signal);
  await expect(first).rejects.toThrow();
  await ensureVenv(config(), options("0.9.2"), () => undefined, never);
  expect(await installs()).toBe(1);
});

it("a person's stop ends pip", async () => {
  await writeFile(join(dataDir, "pip-says"), "0.9.5\n");
  const stopped = new AbortController();
  const first = ensureVenv(
    config(),
    options("0.9.5"),
    () => stopped.abort(STOPPED),
    stopped.signal,
  );
  await expect(first).rejects.toThrow();
  const record = await findRecorded(config().processes, "venv-verl-0.9.5");
  expect(record && (await isAlive(record))).toBe(false);
  await expect(installs()).rejects.toThrow("ENOENT");
});

it("what was not installed is said, and tried again at the next launch", async () => {
  await writeFile(join(dataDir, "pip-says"), "none\n");
  const failed = ensureVenv(config(), options("0.9.3"), () => undefined, never);
  await expect(failed).rejects.toMatchObject({
    userMessage: expect.stringMatching(/^verl 0\.9\.3 could not be installed/),
  });
  await writeFile(join(dataDir, "pip-says"), "0.9.3\n");
  await ensureVenv(config(), options("0.9.3"), () => undefined, never);
  expect(await installs()).toBe(2);
});

it("an interpreter that does not fit is said", async () => {
  const wrong = { ...options("0.9.4"), python: "/no/such/python" };
  await expect(ensureVenv(config(), wrong, () => undefined, never)).rejects.toMatchObject({
    userMessage: expect.stringContaining("/no/such/python is no Python 3.10"),
  });
});
