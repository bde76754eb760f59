import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Container, Exec } from "dockerode";
import { AnnouncedOutput } from "#sandboxes/announced-output.ts";
import { BoundedOutput } from "#sandboxes/bounded-output.ts";
import { endOf } from "#sandboxes/exec-ending.ts";
import type { ExecCommand, ExecResult } from "#sandboxes/sandbox.ts";
import { TrialError } from "#trials/trial-error.ts";

/**
 * Says the process group that a kill has to name, then becomes the command. An exec leads a session of its own. Docker
 * would mix two streams in no certain order, so the command gets one for both.
 */
const ANNOUNCE = 'echo $$; exec "$@" 2>&1';
const KILL_TIMEOUT_MS = 5_000;
const SETTLE_MS = 3_000;
const POLL_MS = 10;

/** Does what the daemon has to answer soon; throws where it does not. */
export type Promptly = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Runs a command in a container that runs. A command may be silent for as long as it likes; all else is asked
 * `promptly`. Throws what the daemon says, raw.
 */
export async function runExec(
  container: Container,
  command: ExecCommand,
  promptly: Promptly,
): Promise<ExecResult> {
  const began = performance.now();
  command.signal.throwIfAborted();
  const { exec, running } = await promptly(() => start(container, command));
  const end = await endOf(running.closed, command);
  if (end !== "closed") await promptly(() => killGroup(container, running.output.group));
  running.release();
  command.signal.throwIfAborted();
  return {
    exitCode: end === "closed" ? await promptly(() => exitCodeOf(exec)) : null,
    output: running.output.text(),
    durationMs: performance.now() - began,
  };
}

async function start(container: Container, command: ExecCommand) {
  const { argv, user, env } = command;
  const exec = await container.exec({
    Cmd: ["/bin/sh", "-c", ANNOUNCE, "sh", ...argv],
    AttachStdout: true,
    AttachStderr: true,
    ...(user !== null && { User: String(user) }),
    Env: Object.entries(env ?? {}).map(([name, value]) => `${name}=${value}`),
  });
  return { exec, running: await attach(container, exec, command) };
}

async function attach(container: Container, exec: Exec, { maxOutputBytes, onOutput }: ExecCommand) {
  const stream = await exec.start({ hijack: true, stdin: false });
  const output = new BoundedOutput(maxOutputBytes, onOutput);
  const announced = new AnnouncedOutput(output);
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  stdout.on("data", (chunk: Buffer) => announced.push(chunk));
  stderr.on("data", (chunk: Buffer) => output.push(chunk));
  container.modem.demuxStream(stream, stdout, stderr);
  const closed = new Promise<void>((resolve) => {
    stream.once("end", resolve).once("close", resolve).once("error", resolve);
  });
  return { output: announced, closed, release: () => stream.destroy() };
}

async function killGroup(container: Container, group: number | null): Promise<void> {
  if (group === null) return;
  const exec = await container.exec({
    Cmd: ["/bin/sh", "-c", `kill -9 -${group}`],
    User: "0",
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({ hijack: true, stdin: false });
  const over = new Promise((resolve) => {
    stream.once("end", resolve).once("close", resolve).once("error", resolve);
  });
  stream.resume();
  await Promise.race([over, sleep(KILL_TIMEOUT_MS, undefined, { ref: false })]);
  stream.destroy();
}

async function exitCodeOf(exec: Exec): Promise<number> {
  const giveUpAt = Date.now() + SETTLE_MS;
  for (;;) {
    const { Running, ExitCode } = await exec.inspect();
    if (!Running && ExitCode !== null) return ExitCode;
    if (Date.now() > giveUpAt)
      throw new TrialError("SandboxError", "Docker does not say how a command ended.");
    await sleep(POLL_MS);
  }
}
