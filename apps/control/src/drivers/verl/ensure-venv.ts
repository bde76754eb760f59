import { execFile } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { AppError } from "@liverl/contract/app-error";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { isAlive, recoverRecord, startRecorded, stopRecorded } from "@liverl/durable/process";
import { z } from "zod";
import type { Config } from "#config.ts";
import { findInterpreter } from "#drivers/verl/find-interpreter.ts";
import { childEnv } from "#env.ts";

const run = promisify(execFile);
const POLL_MS = 500;
const STOP_GRACE_MS = 2_000;
/** Reason of a signal by which a person stops what goes on. Any other is a restart of control, which it outlives. */
export const STOPPED = "stopped by a person";
const Stamp = z.object({ verl: z.string() });
const VERSION = "import importlib.metadata as m; print(m.version('verl'))";
/** What a person who watches wants to read of pip's output. */
const SHOWN = /^(Collecting|Downloading|Installing|Building|Using|Successfully|ERROR)/;

/**
 * The Python environment of a verl release, `D/venvs/verl-<version>`: made where it is missing, with its engine vLLM.
 * Resolves with its folder. The installation is a recorded process: a restart of control waits for it to end, a `STOPPED` ends it.
 */
export async function ensureVenv(
  config: Pick<Config, "dataDir" | "processes">,
  { version, python, logPath }: { version: string; python: string | null; logPath: string },
  progress: (detail: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const venv = join(config.dataDir, "venvs", `verl-${version}`);
  const stamp = `${venv}.json`;
  if ((await readJson(stamp, Stamp))?.verl === version) return venv;
  await mkdir(join(config.dataDir, "venvs"), { recursive: true });
  const name = `venv-verl-${version}`;
  const known = await recoverRecord(config.processes, name);
  if (!known || !(await isAlive(known))) {
    const interpreter = await findInterpreter(python);
    if (interpreter === null) throw noPython(python);
    await rm(venv, { recursive: true, force: true });
    const pip = `"$1/bin/python" -m pip install --disable-pip-version-check --no-input "verl[vllm]==$2"`;
    await startRecorded({
      directory: config.processes,
      name,
      // The two words come as arguments: no value is ever part of the script.
      argv: ["/bin/sh", "-ec", `"$0" -m venv "$1"; ${pip}`, interpreter, venv, version],
      env: { ...childEnv(), PYTHONUNBUFFERED: "1" },
      cwd: config.dataDir,
      logPath,
      startedBy: `control ${process.pid}`,
    });
  }
  try {
    await untilOver(config, name, logPath, progress, signal);
  } catch (error) {
    const record = await recoverRecord(config.processes, name);
    if (signal.reason === STOPPED && record) await stopRecorded(record, { graceMs: STOP_GRACE_MS });
    throw error;
  }
  const installed = await run(join(venv, "bin/python"), ["-c", VERSION], { env: childEnv() }).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
  if (installed !== version)
    throw new AppError("UNAVAILABLE", {
      userMessage: `verl ${version} could not be installed: the log "Python environment" has pip's words. Launch again to try again, or name an environment of your own as target.venv.`,
    });
  await writeFileAtomic(stamp, `${JSON.stringify({ verl: version })}\n`);
  return venv;
}

async function untilOver(
  config: Pick<Config, "processes">,
  name: string,
  logPath: string,
  progress: (detail: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let told = "";
  for (;;) {
    const record = await recoverRecord(config.processes, name);
    if (!record || !(await isAlive(record))) return;
    const log = await readFile(logPath, "utf8").catch(() => "");
    const line = log
      .trimEnd()
      .split("\n")
      .findLast((text) => SHOWN.test(text.trim()));
    if (line && line !== told) progress(line.trim().slice(0, 120));
    told = line ?? told;
    await sleep(POLL_MS, undefined, { signal });
  }
}

function noPython(asked: string | null): AppError {
  return new AppError("BAD_REQUEST", {
    userMessage:
      asked === null
        ? "There is no Python 3.10, 3.11 or 3.12 with venv on this machine: install one, or name an environment of your own as target.venv."
        : `${asked} is no Python 3.10, 3.11 or 3.12 with venv: name another as target.python.`,
  });
}
