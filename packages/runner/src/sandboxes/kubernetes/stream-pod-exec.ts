import { PassThrough, Writable } from "node:stream";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { startPodProcess } from "#sandboxes/kubernetes/pod-process.ts";
import { BUSYBOX, MAIN } from "#sandboxes/kubernetes/pod-spec.ts";
import { becomeCommand } from "#sandboxes/kubernetes/run-pod-exec.ts";
import type { CommandStream, StreamCommand } from "#sandboxes/sandbox.ts";

const MAX_ERRORS = 4_000;

/** One process among all that ever had its number. */
export interface KnownProcess {
  pid: number;
  /** As the kernel counts it, ticks after its own start. */
  startedAt: string;
}

/** Starts a command in the task's container whose streams stay open. Throws what the connection did, raw. */
export async function streamPodExec(
  settings: KubeSettings,
  pod: string,
  command: StreamCommand,
  isRunning: (process: KnownProcess) => Promise<boolean>,
): Promise<CommandStream> {
  const { signal } = command;
  signal.throwIfAborted();
  const output = new PassThrough();
  output.on("error", () => undefined);
  const errors = new AnnouncedErrors();
  const running = await startPodProcess(
    settings,
    { pod, container: MAIN, busybox: BUSYBOX, script: streamScriptOf(command) },
    { stdout: output, stderr: errors },
  );
  running.ended.then(
    () => output.end(),
    (error: Error) => output.destroy(error),
  );
  const close = () => {
    running.release();
    output.destroy();
  };
  signal.addEventListener("abort", close, { once: true });
  return {
    input: running.stdin,
    output,
    errors: () => errors.text,
    isRunning: async () => errors.process !== null && (await isRunning(errors.process)),
    close: () => {
      signal.removeEventListener("abort", close);
      close();
    },
  };
}

/** Says on stderr which process it is, then becomes the command, which keeps both number and start. */
export const streamScriptOf = (command: Pick<StreamCommand, "argv" | "user">) =>
  [
    `${BUSYBOX} awk '{print $1, $22}' /proc/$$/stat >&2`,
    ...becomeCommand({ ...command, env: {} }),
  ].join("\n");

/** The process that the first line names, and the end of what comes after. */
class AnnouncedErrors extends Writable {
  process: KnownProcess | null = null;
  text = "";

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text = (this.text + chunk.toString("utf8")).slice(-MAX_ERRORS);
    const [line, pid, startedAt] = /^(\d+) (\d+)\n/.exec(this.text) ?? [];
    if (this.process === null && line !== undefined && pid && startedAt) {
      this.process = { pid: Number(pid), startedAt };
      this.text = this.text.slice(line.length);
    }
    done();
  }
}
