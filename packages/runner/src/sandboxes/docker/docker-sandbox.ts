import { addAbortSignal, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxFacts } from "@liverl/contract/sandbox";
import type { TerminalSize } from "@liverl/contract/shell";
import type { Container } from "dockerode";
import type { NetworkUse } from "#integrity/judge-network.ts";
import { type ContainerLife, lifeFault, lifeOf } from "#sandboxes/docker/container-life.ts";
import type { ContainerActs } from "#sandboxes/docker/daemon-acts.ts";
import { nullIfMissing, statusOf, toDockerError } from "#sandboxes/docker/docker-error.ts";
import type { NetworkWatch } from "#sandboxes/docker/network-watch.ts";
import { openDockerTerminal } from "#sandboxes/docker/open-docker-terminal.ts";
import { readChanges } from "#sandboxes/docker/read-changes.ts";
import { removeContainer } from "#sandboxes/docker/remove-container.ts";
import { runExec } from "#sandboxes/docker/run-exec.ts";
import { streamExec } from "#sandboxes/docker/stream-exec.ts";
import type { Excludes } from "#sandboxes/exclude-paths.ts";
import { packFolder, packFolders, packMark } from "#sandboxes/pack-folder.ts";
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
import { unpackArchive } from "#sandboxes/unpack-archive.ts";
import { withinTime } from "#sandboxes/within-time.ts";
import { hasEndedItself } from "#trials/own-ends.ts";
import { TrialError } from "#trials/trial-error.ts";

/** For one request that moves no large file; a daemon under load needs seconds. */
const REQUEST_MS = 60_000;
const TRANSFER_MS = 300_000;
/** Docker's, of an image that has none. */
const DEFAULT_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** SIGKILL's, of a process that the kernel ended for memory among others. */
const KILLED = 137;
/** Docker tells of a command's end before that of the container that took it along. */
const NEWS_MS = 400;
const ASK_AGAIN_MS = 50;
/** The container may know better what is behind these. */
const VAGUE = new Set(["SandboxError", "SandboxUnavailableError"]);
/** Less than this left is a full disk. */
const ROOM_BYTES = 64 * 1024;
const ROOM_FILE = "/tests/.room";

/** A container that runs. */
export class DockerSandbox implements Sandbox {
  readonly name: string;
  readonly facts: SandboxFacts;
  readonly #container: Container;
  readonly #signal: AbortSignal;
  readonly #onGone: () => void;
  readonly #acts: ContainerActs;
  readonly #watch: NetworkWatch | null;
  readonly #bar: () => Promise<void>;
  /** Not made yet. */
  #due: readonly string[];
  /** Since the last time that all of it was started; null where nobody could look. */
  #life: Promise<ContainerLife | null>;
  /** After its tests, by us: {@link endProcesses} brings it up again. */
  #isEnded = false;
  /** Whether its processes were ended since the watch began. */
  #isWatchStale = false;
  #ending: Promise<void> | null = null;

  constructor(options: {
    name: string;
    facts: SandboxFacts;
    container: Container;
    acts: ContainerActs;
    /** Aborted when its trial is cancelled: what waits for the daemon stops waiting. */
    signal: AbortSignal;
    /** Of its network; null where it has none. */
    watch?: NetworkWatch | null;
    /** Takes the way to private addresses from the network that it has after a start. */
    bar: () => Promise<void>;
    /** That everyone may write to: there before anything else runs in it. */
    folders: readonly string[];
    onGone: () => void;
  }) {
    this.name = options.name;
    this.facts = options.facts;
    this.#container = options.container;
    this.#signal = options.signal;
    this.#watch = options.watch ?? null;
    this.#bar = options.bar;
    this.#due = options.folders;
    this.#onGone = options.onGone;
    this.#acts = options.acts;
    // Nobody waits for it: what a fault is compared with is needed later, if at all.
    this.#life = this.#container.inspect().then(lifeOf, () => null);
  }

  async exec(command: ExecCommand): Promise<ExecResult> {
    const doing = "run a command in a sandbox";
    const first = await this.#withFolders(command);
    try {
      const result = await runExec(this.#container, first, (work) => this.#promptly(doing, work));
      if (result.exitCode === KILLED || result.exitCode === null) await this.#checkAlive(NEWS_MS);
      return result;
    } catch (error) {
      command.signal.throwIfAborted();
      throw await this.#explain(error, doing);
    }
  }

  async stream(command: StreamCommand): Promise<CommandStream> {
    const doing = "start a command in a sandbox";
    await this.#ensureFolders();
    try {
      return await this.#promptly(doing, () => streamExec(this.#container, command));
    } catch (error) {
      command.signal.throwIfAborted();
      throw await this.#explain(error, doing);
    }
  }

  async openTerminal(size: TerminalSize): Promise<Terminal> {
    return await this.#ask("open a shell in a sandbox", REQUEST_MS, () =>
      openDockerTerminal(this.#container, size),
    );
  }

  async endProcesses(): Promise<EndedProcesses> {
    return await this.#ask("end the processes of a sandbox", REQUEST_MS, async () => {
      // One that something outside has ended would come up again as if nothing had been.
      const end = this.#isEnded ? null : await this.#checkAlive().then(() => null, ownEnd);
      // The kernel ends every process of the container's PID namespace: no program in it has a say.
      await this.#container.restart({ t: 0 });
      await this.#bar();
      this.#isEnded = false;
      this.#isWatchStale = true;
      const found = await this.#container.inspect();
      this.#life = Promise.resolve(lifeOf(found));
      return { ranOutOfMemory: found.State.OOMKilled, ...(end && { end }) };
    });
  }

  async checkSound(): Promise<void> {
    await this.#ask("look after the tests of a sandbox", REQUEST_MS, async () => {
      await this.#checkAlive();
      await this.#checkRoom();
      // Only of a container that has ended Docker says whether memory ran out in it.
      await this.#container.kill();
      this.#isEnded = true;
      const { State } = await this.#container.inspect();
      if (State.OOMKilled)
        throw new TrialError(
          "VerifierOutOfMemoryError",
          "Memory ran out while the tests ran, so what they say is no reward. Raise memory_mb of the task, unless the agent's work is what takes it.",
        );
    });
  }

  async makeFolders(paths: readonly string[]): Promise<void> {
    await this.#ask("make folders in a sandbox", REQUEST_MS, () =>
      this.#container.putArchive(packFolders(paths), { path: "/" }),
    );
  }

  async upload(from: string, to: string): Promise<void> {
    await this.#ensureFolders();
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

  async searchPath(): Promise<readonly string[]> {
    const { Config } = await this.#ask("tell the PATH of a sandbox", REQUEST_MS, () =>
      this.#container.inspect(),
    );
    const path = (Config.Env ?? []).findLast((one) => one.startsWith("PATH="));
    return (path ?? DEFAULT_PATH).slice("PATH=".length).split(":");
  }

  async changes(): Promise<Changes> {
    return await this.#ask("tell what changed in a sandbox", REQUEST_MS, (signal) =>
      readChanges(this.#container, signal),
    );
  }

  async watchNetwork(): Promise<boolean> {
    if (this.#watch === null) return false;
    const watch = this.#watch;
    await this.#ask("watch the network of a sandbox", REQUEST_MS, () =>
      this.#isWatchStale ? watch.restart() : watch.ready(),
    );
    this.#isWatchStale = false;
    return true;
  }

  async networkUse(): Promise<NetworkUse | null> {
    if (this.#watch === null) return null;
    const watch = this.#watch;
    return await this.#ask("tell what a sandbox was connected to", REQUEST_MS, (signal) =>
      watch.read(signal),
    );
  }

  async download(from: string, to: string, excludes?: Excludes): Promise<Downloaded | null> {
    await this.#ensureFolders();
    return await this.#ask(`copy ${from} out of a sandbox`, TRANSFER_MS, async (signal) => {
      const archive = await this.#container
        .getArchive({ path: from, abortSignal: signal })
        .catch(nullIfMissing);
      if (!archive) return null;
      return await unpackArchive(addAbortSignal(signal, Readable.from(archive)), to, excludes);
    });
  }

  destroy(): Promise<void> {
    this.#ending ??= this.#remove();
    return this.#ending;
  }

  async #remove(): Promise<void> {
    try {
      await this.#promptly("remove a sandbox", () =>
        Promise.all([removeContainer(this.#container), this.#watch?.end()]),
      );
    } catch (error) {
      this.#ending = null;
      throw toDockerError(error, `remove the sandbox ${this.name}`);
    } finally {
      this.#acts.forget();
      // Also of one that could not be removed: the reaper takes what nobody owns.
      this.#onGone();
    }
  }

  /** The first command of root makes the folders on its way: a request of their own is a tenth of a sandbox's start. */
  async #withFolders(command: ExecCommand): Promise<ExecCommand> {
    if (this.#due.length === 0) return command;
    if (command.user !== 0) {
      await this.#ensureFolders();
      return command;
    }
    const folders = this.#due.join(" ");
    this.#due = [];
    const make = `mkdir -p ${folders} && chmod 777 ${folders}; exec "$@"`;
    return { ...command, argv: ["/bin/sh", "-c", make, "sh", ...command.argv] };
  }

  async #ensureFolders(): Promise<void> {
    const due = this.#due;
    this.#due = [];
    if (due.length > 0) await this.makeFolders(due);
  }

  async #ask<T>(
    doing: string,
    timeoutMs: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#within(doing, timeoutMs, this.#signal, work);
    } catch (error) {
      this.#signal.throwIfAborted();
      throw await this.#explain(error, doing);
    }
  }

  /** Also after its trial was cancelled. */
  #promptly<T>(doing: string, work: () => Promise<T>): Promise<T> {
    return this.#within(doing, REQUEST_MS, new AbortController().signal, work);
  }

  #within<T>(
    doing: string,
    timeoutMs: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = () =>
      new TrialError("SandboxTimeoutError", `Docker did not ${doing} in ${timeoutMs / 1_000} s.`);
    return withinTime({ timeoutMs, signal, late }, work);
  }

  /** What the container says of itself counts more than what a broken request says. */
  async #explain(error: unknown, doing: string): Promise<Error> {
    const told = toDockerError(error, doing);
    if (told instanceof TrialError && !VAGUE.has(told.exceptionType)) return told;
    try {
      await this.#checkAlive();
      return told;
    } catch (fault) {
      return toDockerError(fault, doing);
    }
  }

  /** Throws where the container itself has ended or was touched from outside. */
  async #checkAlive(patienceMs = 0): Promise<void> {
    const giveUpAt = Date.now() + patienceMs;
    for (;;) {
      const found = await this.#promptly("look after a sandbox", () =>
        this.#container.inspect().catch((error: unknown) => {
          if (statusOf(error) === 404) return null;
          throw error;
        }),
      );
      const endedItself =
        found !== null &&
        !found.State.Running &&
        (await this.#acts.endedByItself(found.State.StartedAt));
      const fault = lifeFault(this.name, await this.#life, found, endedItself);
      if (fault) throw fault;
      if (Date.now() >= giveUpAt) return;
      await sleep(ASK_AGAIN_MS);
    }
  }

  /** Throws where the daemon's disk is full: tests that could not write have failed for no fault of the agent's work. */
  async #checkRoom(): Promise<void> {
    await this.#container
      .putArchive(packMark(ROOM_FILE, ROOM_BYTES), { path: "/" })
      .catch((error: unknown) => {
        const told = toDockerError(error, "write into a sandbox");
        // What else is in the way there is the tests' own affair.
        if (told instanceof TrialError && told.exceptionType === "SandboxError") return;
        throw told;
      });
  }
}

/** What ended by its own processes' doing comes up again with its files. */
function ownEnd(error: unknown): TrialError {
  if (hasEndedItself(error)) return error;
  throw error;
}
