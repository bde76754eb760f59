import { PassThrough, Readable } from "node:stream";
import { Exec } from "@kubernetes/client-node";
import type { TerminalSize } from "@liverl/contract/shell";
import { faultOf } from "#sandboxes/kubernetes/kube-error.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { BUSYBOX, MAIN } from "#sandboxes/kubernetes/pod-spec.ts";
import type { Terminal } from "#sandboxes/sandbox.ts";
import { afterAnnouncement, endSession, SHELL } from "#sandboxes/terminal-shell.ts";

const END_MS = 5_000;
/** Of the channel protocol: https://kubernetes.io/docs/reference/using-api/api-concepts and `v5.channel.k8s.io`. */
const RESIZE_CHANNEL = 4;

/** A shell of the task's container, with a terminal. Throws what the connection did, raw. */
export async function openPodTerminal(
  settings: Pick<KubeSettings, "config" | "namespace">,
  pod: string,
  size: TerminalSize,
): Promise<Terminal> {
  const start = async (
    script: string,
    streams: { stdin: PassThrough | null; stdout: PassThrough },
  ) =>
    await new Exec(settings.config)
      .exec(
        encodeURIComponent(settings.namespace),
        pod,
        MAIN,
        [BUSYBOX, "sh", "-c", script],
        streams.stdout,
        null,
        streams.stdin,
        streams.stdin !== null,
      )
      .catch((error: unknown) => {
        throw new Error(faultOf(error), { cause: error });
      });
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  stdout.on("error", () => undefined);
  const socket = await start(`export TERM=xterm-256color; ${SHELL}`, { stdin, stdout });
  socket.once("close", () => stdout.end());
  // The library writes what comes whether it is taken or not.
  stdout.on("drain", () => socket.resume());
  socket.on("message", () => {
    if (stdout.writableNeedDrain) socket.pause();
  });
  let session: number | null = null;
  const output = Readable.from(
    afterAnnouncement(stdout, (announced) => {
      session = announced;
    }),
    { objectMode: false },
  );
  output.on("error", () => undefined);
  const resize = ({ columns, rows }: TerminalSize): Promise<void> => {
    const told = Buffer.from(JSON.stringify({ Width: columns, Height: rows }));
    if (socket.readyState === socket.OPEN)
      socket.send(Buffer.concat([Buffer.from([RESIZE_CHANNEL]), told]));
    return Promise.resolve();
  };
  await resize(size);
  return {
    input: stdin,
    output,
    resize,
    close: async () => {
      if (session !== null && !output.readableEnded) await endInside(start, session);
      stdin.destroy();
      output.destroy();
      socket.terminate();
    },
  };
}

/** Over a connection of its own. A pod that does not answer is about to go. */
async function endInside(
  start: (
    script: string,
    streams: { stdin: null; stdout: PassThrough },
  ) => Promise<{ once(event: "close", listener: () => void): unknown; terminate(): void }>,
  session: number,
): Promise<void> {
  const stdout = new PassThrough();
  stdout.resume();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, END_MS);
    start(endSession(session), { stdin: null, stdout }).then(
      (ending) =>
        ending.once("close", () => {
          clearTimeout(timer);
          resolve();
        }),
      () => resolve(),
    );
  });
}
