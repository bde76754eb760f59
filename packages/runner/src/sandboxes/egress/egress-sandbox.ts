import type { SandboxFacts } from "@liverl/contract/sandbox";
import type { TerminalSize } from "@liverl/contract/shell";
import type { NetworkUse } from "#integrity/judge-network.ts";
import { EgressGateway } from "#sandboxes/egress/egress-gateway.ts";
import type { Excludes } from "#sandboxes/exclude-paths.ts";
import type {
  Changes,
  CommandStream,
  Downloaded,
  EndedProcesses,
  ExecCommand,
  ExecResult,
  Sandbox,
  StreamCommand,
  Terminal,
} from "#sandboxes/sandbox.ts";
import { IN_SANDBOX } from "#scaffolds/programs/agent-programs.ts";
import { type OpenLink, openLink } from "#scaffolds/tunnel/open-tunnel.ts";

/** Of the proxy inside of the sandbox. */
const PORT = 34_128;
const URL_INSIDE = `http://127.0.0.1:${PORT}`;
const LOCAL = "localhost,127.0.0.1,::1";

/** For every program in the sandbox; most that speak HTTP heed one spelling of them. */
export const EGRESS_ENV: Readonly<Record<string, string>> = {
  ...{ HTTP_PROXY: URL_INSIDE, HTTPS_PROXY: URL_INSIDE, http_proxy: URL_INSIDE },
  ...{ https_proxy: URL_INSIDE, NO_PROXY: LOCAL, no_proxy: LOCAL },
};

/**
 * A sandbox without a network, in which a proxy listens whose only ways lead to a list of hosts: what connects to it is
 * carried out over the streams of an exec. There is no interface, no route and no resolver to go around it.
 */
export class EgressSandbox implements Sandbox {
  readonly #inner: Sandbox;
  readonly #gateway: EgressGateway;
  readonly #signal: AbortSignal;
  #link: OpenLink | null = null;

  private constructor(inner: Sandbox, allowed: readonly string[], signal: AbortSignal) {
    this.#inner = inner;
    this.#gateway = new EgressGateway(allowed);
    this.#signal = signal;
  }

  /** Throws `AgentSetupError` where the image can not run the helper; the sandbox is its caller's to remove then. */
  static async open(
    inner: Sandbox,
    allowed: readonly string[],
    signal: AbortSignal,
  ): Promise<EgressSandbox> {
    const sandbox = new EgressSandbox(inner, allowed, signal);
    await sandbox.#open();
    return sandbox;
  }

  get name(): string {
    return this.#inner.name;
  }

  async endProcesses(): Promise<EndedProcesses> {
    this.#link?.close();
    const ended = await this.#inner.endProcesses();
    // The helper was one of them: what comes next has the same way out.
    await this.#open();
    return ended;
  }

  get facts(): SandboxFacts {
    return this.#inner.facts;
  }

  openTerminal(size: TerminalSize): Promise<Terminal> {
    return this.#inner.openTerminal(size);
  }

  checkSound(): Promise<void> {
    return this.#inner.checkSound();
  }

  watchNetwork(): Promise<boolean> {
    return Promise.resolve(true);
  }

  networkUse(): Promise<NetworkUse> {
    return Promise.resolve({ neighbours: [], ...this.#gateway.use() });
  }

  async destroy(): Promise<void> {
    this.#link?.close();
    await this.#inner.destroy();
  }

  exec(command: ExecCommand): Promise<ExecResult> {
    return this.#inner.exec(command);
  }

  stream(command: StreamCommand): Promise<CommandStream> {
    return this.#inner.stream(command);
  }

  makeFolders(paths: readonly string[]): Promise<void> {
    return this.#inner.makeFolders(paths);
  }

  upload(from: string, to: string): Promise<void> {
    return this.#inner.upload(from, to);
  }

  has(path: string): Promise<boolean> {
    return this.#inner.has(path);
  }

  searchPath(): Promise<readonly string[]> {
    return this.#inner.searchPath();
  }

  changes(): Promise<Changes | null> {
    return this.#inner.changes();
  }

  download(from: string, to: string, excludes?: Excludes): Promise<Downloaded | null> {
    return this.#inner.download(from, to, excludes);
  }

  async #open(): Promise<void> {
    this.#link = await openLink(this.#inner, [IN_SANDBOX.node, IN_SANDBOX.tunnel, String(PORT)], {
      onConnection: (connection) => this.#gateway.serve(connection),
      signal: this.#signal,
      remedy: 'Give the task another image, or network_mode = "no-network".',
    });
  }
}
