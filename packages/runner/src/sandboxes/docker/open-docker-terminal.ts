import { type Duplex, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { TerminalSize } from "@liverl/contract/shell";
import type { Container } from "dockerode";
import type { Terminal } from "#sandboxes/sandbox.ts";
import { afterAnnouncement, endSession, SHELL } from "#sandboxes/terminal-shell.ts";

const END_MS = 5_000;

/** A shell of a container that runs, with a terminal. Throws what the daemon says, raw. */
export async function openDockerTerminal(
  container: Container,
  size: TerminalSize,
): Promise<Terminal> {
  const exec = await container.exec({
    Cmd: ["sh", "-c", SHELL],
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: true,
    Env: ["TERM=xterm-256color"],
  });
  const stream: Duplex = await exec.start({ hijack: true, stdin: true, Tty: true });
  stream.on("error", () => undefined);
  const shell = { session: null as number | null };
  const output = Readable.from(
    afterAnnouncement(stream, (session) => {
      shell.session = session;
    }),
    { objectMode: false },
  );
  output.on("error", () => undefined);
  const resize = async ({ columns, rows }: TerminalSize) => {
    // A shell that has just ended has no terminal to resize.
    await exec.resize({ w: columns, h: rows }).catch(() => undefined);
  };
  await resize(size);
  return {
    input: stream,
    output,
    resize,
    close: async () => {
      if (shell.session !== null && !output.readableEnded)
        await Promise.race([
          runQuietly(container, endSession(shell.session)).catch(() => undefined),
          sleep(END_MS, undefined, { ref: false }),
        ]);
      stream.destroy();
      output.destroy();
    },
  };
}

async function runQuietly(container: Container, script: string): Promise<void> {
  const exec = await container.exec({
    Cmd: ["sh", "-c", script],
    User: "0",
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({ hijack: true, stdin: false });
  stream.resume();
  await new Promise<void>((resolve) => {
    stream.once("end", resolve).once("close", resolve).once("error", resolve);
  });
}
