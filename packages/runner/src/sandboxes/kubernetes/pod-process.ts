import { PassThrough, type TransformCallback, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { Exec, type V1Status } from "@kubernetes/client-node";
import { faultOf } from "#sandboxes/kubernetes/kube-error.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { asFirstLine, bootShell } from "#sandboxes/kubernetes/shell-script.ts";

const MAX_UNSENT_BYTES = 1024 * 1024;
const ASK_AGAIN_MS = 5;

/** A command of a container that the API server carries to and fro. */
export interface PodProcess {
  /**
   * Goes on after the script's line. Its end may overtake what came right before it (containerd closes the pipe while it
   * still holds a part): a script that needs none is given none, and one that does must know how much is to come.
   */
  readonly stdin: PassThrough;
  /** Its exit code. Rejects where the connection broke before it was told: the command may go on. */
  readonly ended: Promise<number>;
  /** Lets go of the connection; ends nothing in the container. */
  release(): void;
}

/** Runs a script with the container's busybox. `stdout` is written no faster than it takes. */
export async function startPodProcess(
  { config, namespace }: Pick<KubeSettings, "config" | "namespace">,
  target: { pod: string; container: string; busybox: string; script: string },
  { stdout, stderr = stdout }: { stdout: Writable; stderr?: Writable },
): Promise<PodProcess> {
  const stdin = new PacedInput();
  stdin.write(asFirstLine(target.script));
  const flow = new Flow(stdout);
  let told: V1Status | null = null;
  const socket = await new Exec(config)
    .exec(
      encodeURIComponent(namespace),
      target.pod,
      target.container,
      bootShell(target.busybox),
      flow,
      // The library ends each stream: one that both share would be ended twice.
      new Flow(stderr),
      stdin,
      false,
      (status) => {
        told = status;
      },
    )
    .catch((error: unknown) => {
      throw new Error(faultOf(error), { cause: error });
    });
  stdin.socket = socket;
  flow.onFull = () => socket.pause();
  flow.onDrained = () => socket.resume();
  const ended = new Promise<number>((resolve, reject) => {
    // The library closes the connection once the status has come.
    socket.once("close", (code: number, why: Buffer) => {
      if (!told) return reject(new Error(`the connection to a sandbox broke (${code} ${why})`));
      const status = told;
      finished(flow)
        .then(
          () => resolve(exitCodeOf(status)),
          () => reject(new Error("what a command wrote was not read")),
        )
        .catch(reject);
    });
  });
  ended.catch(() => undefined);
  return {
    stdin,
    ended,
    release: () => {
      stdin.destroy();
      flow.destroy();
      socket.terminate();
    },
  };
}

/** Takes no more than the connection has sent: the library gives it whatever comes, at once. */
class PacedInput extends PassThrough {
  socket: { readonly bufferedAmount: number } | null = null;

  override _transform(chunk: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    if (this.destroyed || (this.socket?.bufferedAmount ?? 0) < MAX_UNSENT_BYTES)
      super._transform(chunk, encoding, done);
    else setTimeout(() => this._transform(chunk, encoding, done), ASK_AGAIN_MS);
  }
}

/** Hands on what comes, says when that is too much, and leaves the end to the reader. */
class Flow extends Writable {
  onFull = () => undefined as void;
  onDrained = () => undefined as void;

  constructor(private readonly to: Writable) {
    super();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    if (this.to.destroyed || this.to.write(chunk)) {
      done();
      return;
    }
    this.onFull();
    this.to.once("drain", () => {
      this.onDrained();
      done();
    });
  }
}

function exitCodeOf({ status, reason, message, details }: V1Status): number {
  if (status === "Success") return 0;
  const code = details?.causes?.find((cause) => cause.reason === "ExitCode")?.message;
  if (reason === "NonZeroExitCode" && code !== undefined) return Number(code);
  throw new Error(message ?? reason ?? "the command did not start");
}
