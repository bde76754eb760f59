import type { Duplex } from "node:stream";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import { withinTime } from "#sandboxes/within-time.ts";
import type { SessionWay } from "#scaffolds/tunnel/play-in-session.ts";
import { type GatewayOptions, SessionGateway } from "#scaffolds/tunnel/session-gateway.ts";
import { TunnelLink } from "#scaffolds/tunnel/tunnel-link.ts";
import { TrialError } from "#trials/trial-error.ts";

const START_MS = 30_000;

export interface Tunnel extends SessionWay {
  /** As a program in the sandbox reaches the session: `http://127.0.0.1:<port>`. */
  url: string;
  /** Why an agent may have failed that is not its own fault; null where nothing went wrong. */
  fault(): Promise<string | null>;
}

/**
 * The way from a sandbox to one session without any network: a helper in it listens on its loopback, and the runner
 * speaks with that over the streams of one long exec. Throws `AgentSetupError` where the helper can not run in the image.
 */
export async function openTunnel(
  sandbox: Sandbox,
  argv: readonly string[],
  options: GatewayOptions & { signal: AbortSignal },
): Promise<Tunnel> {
  const gateway = new SessionGateway(options);
  const link = await openLink(sandbox, argv, {
    onConnection: (connection) => gateway.serve(connection),
    signal: options.signal,
    remedy: "Choose the agent mini, or another image.",
  });
  return {
    get stall() {
      return gateway.stall;
    },
    url: `http://127.0.0.1:${link.port}`,
    fault: async () =>
      (await link.isBroken()) ? "the connection to the sandbox broke" : gateway.lastFault,
    close: () => {
      gateway.close();
      link.close();
    },
  };
}

export interface OpenLink {
  /** Where the helper listens, on the sandbox's loopback. */
  port: number;
  /** Whether the way to the sandbox broke, while the helper in it goes on. */
  isBroken(): Promise<boolean>;
  close(): void;
}

/** Starts the helper in a sandbox and carries what connects to it out. Throws `AgentSetupError` where it can not run. */
export async function openLink(
  sandbox: Sandbox,
  argv: readonly string[],
  {
    onConnection,
    signal,
    remedy,
  }: { onConnection: (connection: Duplex) => void; signal: AbortSignal; remedy: string },
): Promise<OpenLink> {
  // Root's: an agent of another user can not end it.
  const stream = await sandbox.stream({ argv, user: 0, signal });
  let hear: (port: number) => void;
  const ready = new Promise<number>((resolve) => {
    hear = resolve;
  });
  const link = new TunnelLink(stream.output, stream.input, {
    onConnection,
    onReady: (port) => hear(port),
  });
  const failed = async () => {
    await link.ended;
    throw cannotRun(stream.errors(), remedy);
  };
  try {
    const late = () => cannotRun(`it did not start in ${START_MS / 1_000} seconds`, remedy);
    const port = await withinTime({ timeoutMs: START_MS, signal, late }, () =>
      Promise.race([ready, failed()]),
    );
    let isClosed = false;
    let hasEnded = false;
    void link.ended.then(() => {
      hasEnded = true;
    });
    return {
      port,
      isBroken: async () => hasEnded && !isClosed && (await stream.isRunning()),
      close: () => {
        isClosed = true;
        link.close();
        stream.close();
      },
    };
  } catch (error) {
    link.close();
    stream.close();
    throw error;
  }
}

const cannotRun = (why: string, remedy: string) =>
  new TrialError(
    "AgentSetupError",
    `The agent's tunnel can not run in this image: ${why.trim() || "it ended at once"}. The image needs glibc 2.28 or newer and libstdc++; Alpine's has neither. ${remedy}`,
  );
