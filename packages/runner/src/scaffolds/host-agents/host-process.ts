import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import type { HarborCommand } from "#scaffolds/host-agents/harbor-python.ts";
import { answerHostRequest, HostRequest } from "#scaffolds/host-agents/host-requests.ts";
import { TrialError } from "#trials/trial-error.ts";

const Ended = z.object({
  ended: z.enum(["finished", "context-full", "agent-error", "setup-error", "failed"]),
  /** Name of the exception's class. */
  type: z.string(),
  message: z.string(),
});
/** How the agent's own process says that it ended. */
export type HostEnding = z.infer<typeof Ended>;
const Message = z.union([HostRequest, Ended]);

/**
 * Plays one attempt in a process of this host, which ends with the signal, with this process, and when it has told its
 * end. What it prints goes to `logPath`. Throws what infrastructure did to it, and the signal's reason.
 */
export async function playOnHost(options: {
  command: HarborCommand;
  work: object;
  sandbox: Sandbox;
  folder: string;
  logPath: string;
  signal: AbortSignal;
  /** A command in the sandbox has ended. */
  onCommand?(durationMs: number): void;
}): Promise<HostEnding> {
  const { command, work, sandbox, folder, logPath, signal, onCommand } = options;
  signal.throwIfAborted();
  // A group of its own: whatever it started ends with it.
  const child = spawn(command.python, [...command.args, "run"], {
    cwd: folder,
    env: command.env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const gone = new AbortController();
  const stop = () => killGroup(child);
  signal.addEventListener("abort", stop, { once: true });
  child.stdin.on("error", () => undefined);
  const tell = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const log = createWriteStream(logPath, { flags: "a" });
  log.on("error", () => undefined);
  child.stderr.pipe(log);
  try {
    return await new Promise<HostEnding>((resolve, reject) => {
      child.on("error", (error) => reject(died(error.message)));
      child.on("close", (code, killer) =>
        reject(
          signal.aborted ? signal.reason : died(`it ended with ${killer ?? `exit code ${code}`}`),
        ),
      );
      createInterface({ input: child.stdout }).on("line", (line) => {
        const message = readMessage(line);
        if (message === null) return reject(died("it said what nobody understands"));
        if ("ended" in message) return resolve(message);
        const asked = { signal: AbortSignal.any([signal, gone.signal]), onCommand };
        answerHostRequest(sandbox, message, asked).then(
          (answer) => tell({ id: message.id, ...answer }),
          reject,
        );
      });
      tell(work);
    });
  } finally {
    signal.removeEventListener("abort", stop);
    gone.abort();
    stop();
  }
}

function readMessage(line: string): z.infer<typeof Message> | null {
  try {
    return Message.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

const died = (why: string) =>
  new TrialError(
    "AgentProcessError",
    `The agent's process failed: ${why}. agent/harbor.txt has what it wrote.`,
  );
