import { PassThrough, type TransformCallback, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Exec, type V1Status } from "@kubernetes/client-node";
import type { WebSocket } from "ws";
import { keepAlive } from "#sandboxes/kubernetes/keep-alive.ts";
import { faultOf } from "#sandboxes/kubernetes/kube-error.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { asFirstLine, bootShell } from "#sandboxes/kubernetes/shell-script.ts";
import { TrialError } from "#trials/trial-error.ts";

const MAX_UNSENT_BYTES = 1024 * 1024;
const ASK_AGAIN_MS = 5;
/** Of a connection that does not come about, or on which nothing comes any more. */
const SILENT_MS = 60_000;

interface PodTarget {
  pod: string;
  container: string;
  busybox: string;
  script: string;
}

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

/**
 * Runs a script with the container's busybox. `stdout` is written no faster than it takes. A connection that dies without
 * a word becomes `SandboxUnavailableError`.
 */
export async function startPodProcess(
  settings: Pick<KubeSettings, "config" | "namespace">,
  target: PodTarget,
  { stdout, stderr = stdout }: { stdout: Writable; stderr?: Writable },
): Promise<PodProcess> {
  const stdin = new PacedInput();
  stdin.write(asFirstLine(target.script));
  const flow = new Flow(stdout);
  let told: V1Status | null = null;
  // The library ends each stream: one that both share would be ended twice.
  const streams = { stdin, stdout: flow, stderr: new Flow(stderr) };
  const socket = await connect(settings, target, streams, (status) => {
    told = status;
  });
  stdin.socket = socket;
  flow.onFull = () => socket.pause();
  flow.onDrained = () => socket.resume();
  let silence: TrialError | null = null;
  keepAlive(socket, () => {
    silence = silentError(target.pod);
    socket.terminate();
  });
  const ended = new Promise<number>((resolve, reject) => {
    // The library closes the connection once the status has come.
    socket.once("close", (code: number, why: Buffer) => {
      if (!told) return reject(silence ?? brokenError(target.pod, `${code} ${why}`.trim()));
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

async function connect(
  { config, namespace }: Pick<KubeSettings, "config" | "namespace">,
  { pod, container, busybox }: PodTarget,
  { stdin, stdout, stderr }: { stdin: PassThrough; stdout: Writable; stderr: Writable },
  onStatus: (status: V1Status) => void,
): Promise<WebSocket> {
  const connecting = new Exec(config)
    .exec(
      encodeURIComponent(namespace),
      pod,
      container,
      bootShell(busybox),
      stdout,
      stderr,
      stdin,
      false,
      onStatus,
    )
    .catch((error: unknown) => {
      throw new Error(faultOf(error), { cause: error });
    });
  const timer = new AbortController();
  const late = sleep(SILENT_MS, null, { signal: timer.signal, ref: false });
  late.catch(() => undefined);
  const socket = await Promise.race([connecting, late]).finally(() => timer.abort());
  if (socket !== null) return socket;
  connecting.then(
    (socketTooLate) => socketTooLate.terminate(),
    () => undefined,
  );
  throw silentError(pod);
}

const brokenError = (pod: string, why: string) =>
  new TrialError(
    "SandboxUnavailableError",
    `The connection to the sandbox ${pod} broke (${why}): the API server has ended, or something before it closed the connection.`,
  );

const silentError = (pod: string) =>
  new TrialError(
    "SandboxUnavailableError",
    `Kubernetes has been silent for ${SILENT_MS / 1_000} seconds on the connection to the sandbox ${pod}: the API server hangs, or something before it has dropped the connection (a NAT, a load balancer).`,
  );

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
