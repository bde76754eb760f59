import { Readable } from "node:stream";
import type { TerminalSize } from "@liverl/contract/shell";
import type { Container } from "dockerode";
import { z } from "zod";
import type { FileChange } from "#integrity/judge-changes.ts";
import type { NetworkUse } from "#integrity/judge-network.ts";
import { statusOf, toDockerError } from "#sandboxes/docker/docker-error.ts";
import type { NetworkWatch } from "#sandboxes/docker/network-watch.ts";
import { openDockerTerminal } from "#sandboxes/docker/open-docker-terminal.ts";
import { removeContainer } from "#sandboxes/docker/remove-container.ts";
import { runExec } from "#sandboxes/docker/run-exec.ts";
import { streamExec } from "#sandboxes/docker/stream-exec.ts";
import { packFolder, packFolders } from "#sandboxes/pack-folder.ts";
import type {
  CommandStream,
  Downloaded,
  ExecCommand,
  ExecResult,
  Sandbox,
  SandboxFacts,
  StreamCommand,
  Terminal,
} from "#sandboxes/sandbox.ts";
import { unpackArchive } from "#sandboxes/unpack-archive.ts";
import { withinTime } from "#sandboxes/within-time.ts";
import { TrialError } from "#trials/trial-error.ts";

/** For one request that moves no large file; a daemon under load needs seconds. */
const REQUEST_MS = 60_000;
const TRANSFER_MS = 300_000;
/** `GET /containers/{id}/changes`; null where nothing has changed. */
const Changes = z.array(z.object({ Path: z.string(), Kind: z.number() })).nullable();
const CHANGES = ["modified", "added", "deleted"] as const;
/** SIGKILL's, of a process that the kernel ended for memory among others. */
const KILLED = 137;

/** A container that runs. */
export class DockerSandbox implements Sandbox {
  readonly name: string;
  readonly facts: SandboxFacts;
  readonly #container: Container;
  readonly #signal: AbortSignal;
  readonly #onGone: () => void;
  readonly #watch: NetworkWatch | null;
  #ending: Promise<void> | null = null;

  constructor(options: {
    name: string;
    facts: SandboxFacts;
    container: Container;
    /** Aborted when its trial is cancelled: what waits for the daemon stops waiting. */
    signal: AbortSignal;
    /** Of its network; null where it has none. */
    watch?: NetworkWatch | null;
    onGone: () => void;
  }) {
    this.name = options.name;
    this.facts = options.facts;
    this.#container = options.container;
    this.#signal = options.signal;
    this.#watch = options.watch ?? null;
    this.#onGone = options.onGone;
  }

  async exec(command: ExecCommand): Promise<ExecResult> {
    try {
      const result = await runExec(this.#container, command);
      if (result.exitCode === KILLED || result.exitCode === null) await this.#checkAlive();
      return result;
    } catch (error) {
      command.signal.throwIfAborted();
      await this.#checkAlive();
      throw toDockerError(error, "run a command in a sandbox");
    }
  }

  async stream(command: StreamCommand): Promise<CommandStream> {
    try {
      return await streamExec(this.#container, command);
    } catch (error) {
      command.signal.throwIfAborted();
      await this.#checkAlive();
      throw toDockerError(error, "start a command in a sandbox");
    }
  }

  async openTerminal(size: TerminalSize): Promise<Terminal> {
    return await this.#ask("open a shell in a sandbox", REQUEST_MS, () =>
      openDockerTerminal(this.#container, size),
    );
  }

  async endProcesses(): Promise<{ ranOutOfMemory: boolean }> {
    return await this.#ask("end the processes of a sandbox", REQUEST_MS, async () => {
      // The kernel ends every process of the container's PID namespace: no program in it has a say.
      await this.#container.restart({ t: 0 });
      const { State } = await this.#container.inspect();
      return { ranOutOfMemory: State.OOMKilled };
    });
  }

  async makeFolders(paths: readonly string[]): Promise<void> {
    await this.#ask("make folders in a sandbox", REQUEST_MS, () =>
      this.#container.putArchive(packFolders(paths), { path: "/" }),
    );
  }

  async upload(from: string, to: string): Promise<void> {
    await this.#ask(`copy ${from} into a sandbox`, TRANSFER_MS, () =>
      this.#container.putArchive(packFolder(from, to), { path: "/" }),
    );
  }

  async has(path: string): Promise<boolean> {
    const found = await this.#ask(`look for ${path} in a sandbox`, REQUEST_MS, () =>
      this.#container.infoArchive({ path }).catch(nullIfMissing),
    );
    return found !== null;
  }

  async changes(): Promise<FileChange[]> {
    const found: unknown = await this.#ask("tell what changed in a sandbox", REQUEST_MS, () =>
      this.#container.changes(),
    );
    return (Changes.parse(found) ?? []).flatMap(({ Path, Kind }) => {
      const change = CHANGES[Kind];
      return change === undefined ? [] : [{ path: Path, change }];
    });
  }

  async watchNetwork(): Promise<boolean> {
    if (this.#watch === null) return false;
    const watch = this.#watch;
    await this.#ask("watch the network of a sandbox", REQUEST_MS, () => watch.ready());
    return true;
  }

  async networkUse(): Promise<NetworkUse | null> {
    if (this.#watch === null) return null;
    const watch = this.#watch;
    return await this.#ask("tell what a sandbox was connected to", REQUEST_MS, (signal) =>
      watch.read(signal),
    );
  }

  async download(from: string, to: string): Promise<Downloaded | null> {
    return await this.#ask(`copy ${from} out of a sandbox`, TRANSFER_MS, async () => {
      const archive = await this.#container.getArchive({ path: from }).catch(nullIfMissing);
      return archive && (await unpackArchive(Readable.from(archive), to));
    });
  }

  destroy(): Promise<void> {
    this.#ending ??= this.#remove();
    return this.#ending;
  }

  async #remove(): Promise<void> {
    try {
      await Promise.all([removeContainer(this.#container), this.#watch?.end()]);
      this.#onGone();
    } catch (error) {
      this.#ending = null;
      throw toDockerError(error, `remove the sandbox ${this.name}`);
    }
  }

  async #ask<T>(
    doing: string,
    timeoutMs: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = () =>
      new TrialError("SandboxTimeoutError", `Docker did not ${doing} in ${timeoutMs / 1_000} s.`);
    try {
      return await withinTime({ timeoutMs, signal: this.#signal, late }, work);
    } catch (error) {
      this.#signal.throwIfAborted();
      throw toDockerError(error, doing);
    }
  }

  /** Throws where the container itself has ended: what ran in it did not fail by itself. */
  async #checkAlive(): Promise<void> {
    const found = await this.#container.inspect().catch(nullIfMissing);
    if (found?.State.Running) return;
    throw found?.State.OOMKilled
      ? new TrialError("SandboxOutOfMemoryError", "The sandbox ran out of memory and has ended.")
      : new TrialError("SandboxLostError", `The sandbox ${this.name} has ended or was removed.`);
  }
}

function nullIfMissing(error: unknown): null {
  if (statusOf(error) === 404) return null;
  throw error;
}
