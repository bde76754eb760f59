import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ExecCommand, Sandbox } from "#sandboxes/sandbox.ts";
import { playOnHost } from "#scaffolds/host-agents/host-process.ts";
import { TrialError } from "#trials/trial-error.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-host-agent-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Stands in for a sandbox: answers every command with what it was, and one with a failure of its own. */
class SandboxStandIn implements Partial<Sandbox> {
  readonly commands: ExecCommand[] = [];

  async exec(command: ExecCommand) {
    this.commands.push(command);
    if (command.argv.includes("be lost")) throw new TrialError("SandboxLostError", "It is gone.");
    return { exitCode: 3, output: "seen\n", durationMs: 1 };
  }

  async download() {
    return null;
  }
}

/** Plays a program of Node, which stands in for Harbor's: `tell` and `hear` speak lines of JSON. */
async function play(program: string, signal = new AbortController().signal) {
  const sandbox = new SandboxStandIn();
  const path = join(folder, "agent.mjs");
  await writeFile(
    path,
    `import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const hear = async () => JSON.parse((await lines.next()).value);
const tell = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
const ended = (how, type = "", message = "") => tell({ ended: how, type, message });
const exec = { do: "exec", command: "ls", cwd: null, env: {}, timeoutS: null, user: null };
const work = await hear();
${program}`,
  );
  const commandsMs: number[] = [];
  const ending = playOnHost({
    command: { python: process.execPath, args: [path], env: { NAME: "value" } },
    work: { instruction: "Do it." },
    // Only what is asked for is called.
    sandbox: sandbox as unknown as Sandbox,
    folder,
    logPath: join(folder, "harbor.txt"),
    signal,
    onCommand: (durationMs) => commandsMs.push(durationMs),
  });
  return { ending, sandbox, commandsMs };
}

it("does in the sandbox what the agent asks for, and tells how it ended", async () => {
  const { ending, sandbox, commandsMs } = await play(`
    tell({ ...exec, id: 1, cwd: "/app", env: { A: "1" }, timeoutS: 2, user: "me" });
    const seen = await hear();
    tell({ id: 2, do: "download", source: "/none", target: "/x" });
    const missing = await hear();
    process.stderr.write("words of the agent");
    ended("agent-error", work.instruction + process.env.NAME, JSON.stringify([seen, missing]));
    setInterval(() => undefined, 1000);`);
  expect(await ending).toEqual({
    ended: "agent-error",
    type: "Do it.value",
    message: JSON.stringify([
      { id: 1, value: { exitCode: 3, output: "seen\n" } },
      { id: 2, fault: "There is no /none in the sandbox." },
    ]),
  });
  expect(sandbox.commands[0]).toMatchObject({
    argv: ["bash", "-c", 'cd "$1" && exec bash -c "$2"', "bash", "/app", "ls"],
    user: "me",
    env: { A: "1" },
    timeoutMs: 2_000,
  });
  expect(commandsMs).toEqual([1]);
  await expect.poll(() => readFile(join(folder, "harbor.txt"), "utf8")).toContain("words of the");
});

it.each([
  ["process.exit(7)", "it ended with exit code 7"],
  ['process.kill(process.pid, "SIGKILL")', "it ended with SIGKILL"],
  ['process.stdout.write("hello\\n"); await hear()', "it said what nobody understands"],
])("%s is a failure of its process, never an ending", async (program, why) => {
  const { ending } = await play(program);
  await expect(ending).rejects.toMatchObject({
    exceptionType: "AgentProcessError",
    userMessage: expect.stringContaining(why),
  });
});

it("what happened to the sandbox is not the agent's to catch", async () => {
  const { ending } = await play('tell({ ...exec, id: 1, command: "be lost" }); await hear()');
  await expect(ending).rejects.toMatchObject({ exceptionType: "SandboxLostError" });
});

it("ends with the signal, with all that it started", async () => {
  const time = new AbortController();
  const { ending } = await play(
    `const { spawn } = await import("node:child_process");
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    process.stderr.write("pids " + process.pid + " " + child.pid + " end");
    await hear();`,
    time.signal,
  );
  const read = () => readFile(join(folder, "harbor.txt"), "utf8");
  await expect.poll(read).toMatch(/pids \d+ \d+ end/);
  const pids = /pids (\d+) (\d+) end/.exec(await read());
  time.abort(new Error("the time is over"));
  await expect(ending).rejects.toThrow("the time is over");
  for (const pid of pids?.slice(1) ?? [])
    await expect.poll(() => isAlive(Number(pid)), { timeout: 10_000 }).toBe(false);
});

/** A zombie, whose parent has not looked, is dead. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
  return !/\) Z/.test(stat);
}
