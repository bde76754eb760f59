import { addAbortSignal } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxFacts } from "@liverl/contract/sandbox";
import type { TerminalSize } from "@liverl/contract/shell";
import type { Excludes } from "#sandboxes/exclude-paths.ts";
import type { Keeper } from "#sandboxes/kubernetes/keeper.ts";
import { toKubeError } from "#sandboxes/kubernetes/kube-error.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { openPodTerminal } from "#sandboxes/kubernetes/open-pod-terminal.ts";
import { endFault } from "#sandboxes/kubernetes/pod-state.ts";
import type { Pods } from "#sandboxes/kubernetes/pods.ts";
import { runPodExec } from "#sandboxes/kubernetes/run-pod-exec.ts";
import { streamPodExec } from "#sandboxes/kubernetes/stream-pod-exec.ts";
import { packFolder, packFolders } from "#sandboxes/pack-folder.ts";
import type {
  CommandStream,
  Downloaded,
  ExecCommand,
  ExecResult,
  Sandbox,
  StreamCommand,
  Terminal,
} from "#sandboxes/sandbox.ts";
import { unpackArchive } from "#sandboxes/unpack-archive.ts";
import { withinTime } from "#sandboxes/within-time.ts";
import { TrialError } from "#trials/trial-error.ts";

const REQUEST_MS = 60_000;
const TRANSFER_MS = 300_000;
const ASK_AGAIN_MS = 1_000;
/** SIGKILL's, of a process that the kernel ended for memory among others. */
const KILLED = 137;
/** The kubelet tells of an end some time after it. */
const NEWS_MS = 8_000;
/** The pod may know better what is behind these. */
const VAGUE = new Set(["SandboxError", "SandboxUnavailableError", "SandboxLostError"]);

/** A pod that runs. */
export class KubernetesSandbox implements Sandbox {
  readonly name: string;
  readonly facts: SandboxFacts;
  readonly #settings: KubeSettings;
  readonly #pods: Pods;
  readonly #keeper: Keeper;
  /** The image's own where it is not root. */
  readonly #imageUser: string | null;
  readonly #signal: AbortSignal;
  #ending: Promise<void> | null = null;

  constructor(options: {
    name: string;
    facts: SandboxFacts;
    settings: KubeSettings;
    pods: Pods;
    keeper: Keeper;
    imageUser: string | null;
    /** Aborted when its trial is cancelled: what waits for the cluster stops waiting. */
    signal: AbortSignal;
  }) {
    this.name = options.name;
    this.facts = options.facts;
    this.#settings = options.settings;
    this.#pods = options.pods;
    this.#keeper = options.keeper;
    this.#imageUser = options.imageUser;
    this.#signal = options.signal;
  }

  async stream(command: StreamCommand): Promise<CommandStream> {
    try {
      return await streamPodExec(
        this.#settings,
        this.name,
        { ...command, user: command.user ?? this.#imageUser },
        (process) =>
          this.#ask("look for a command", REQUEST_MS, () => this.#keeper.isRunning(process)),
      );
    } catch (error) {
      command.signal.throwIfAborted();
      throw await this.#explain(error, "start a command in a sandbox");
    }
  }

  async exec(command: ExecCommand): Promise<ExecResult> {
    const kill = async (group: number) => {
      await withinTime(
        { timeoutMs: REQUEST_MS, signal: this.#signal, late: () => this.#late("end a command") },
        () => this.#keeper.killGroup(group),
      ).catch((error: unknown) => {
        if (!command.signal.aborted) throw error;
      });
    };
    try {
      const result = await runPodExec(
        this.#settings,
        this.name,
        { ...command, user: command.user ?? this.#imageUser },
        kill,
      );
      const wasKilled = result.exitCode === KILLED || result.exitCode === null;
      if (wasKilled && !(await this.#keeper.isMainAlive()))
        throw new TrialError("SandboxLostError", `The sandbox ${this.name} has ended.`);
      return result;
    } catch (error) {
      command.signal.throwIfAborted();
      throw await this.#explain(error, "run a command in a sandbox");
    }
  }

  async openTerminal(size: TerminalSize): Promise<Terminal> {
    return await this.#ask("open a shell in a sandbox", REQUEST_MS, () =>
      openPodTerminal(this.#settings, this.name, size),
    );
  }

  async endProcesses(): Promise<{ ranOutOfMemory: boolean }> {
    return await this.#ask("end the processes of a sandbox", REQUEST_MS, () =>
      this.#keeper.endAll(),
    );
  }

  async checkSound(): Promise<void> {
    await this.#ask("look after the tests of a sandbox", REQUEST_MS, async () => {
      await this.#checkAlive(0);
      if (await this.#keeper.hasRunOutOfMemory())
        throw new TrialError(
          "VerifierOutOfMemoryError",
          "Memory ran out while the tests ran, so what they say is no reward. Raise memory_mb of the task, unless the agent's work is what takes it.",
        );
    });
  }

  async makeFolders(paths: readonly string[]): Promise<void> {
    await this.#ask("make folders in a sandbox", REQUEST_MS, () =>
      this.#keeper.unpack(() => packFolders(paths)),
    );
  }

  async upload(from: string, to: string): Promise<void> {
    await this.#ask(`copy ${from} into a sandbox`, TRANSFER_MS, () =>
      this.#keeper.unpack(() => packFolder(from, to)),
    );
  }

  async has(path: string): Promise<boolean> {
    return await this.#ask(`look for ${path} in a sandbox`, REQUEST_MS, () =>
      this.#keeper.has(path),
    );
  }

  /** Of no use without {@link changes}. */
  searchPath(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  /** The API tells nothing of a container's files, and the keeper does not know the image's. */
  changes(): Promise<null> {
    return Promise.resolve(null);
  }

  /** A pod's network is nobody's to watch without privileges on its node. */
  watchNetwork(): Promise<boolean> {
    return Promise.resolve(false);
  }

  networkUse(): Promise<null> {
    return Promise.resolve(null);
  }

  async download(from: string, to: string, excludes?: Excludes): Promise<Downloaded | null> {
    return await this.#ask(`copy ${from} out of a sandbox`, TRANSFER_MS, async (signal) => {
      if (!(await this.#keeper.has(from))) return null;
      return await this.#keeper.pack(from, (archive) =>
        unpackArchive(addAbortSignal(signal, archive), to, excludes),
      );
    });
  }

  destroy(): Promise<void> {
    this.#ending ??= this.#remove();
    return this.#ending;
  }

  async #remove(): Promise<void> {
    try {
      await this.#pods.remove(this.name);
    } catch (error) {
      this.#ending = null;
      throw toKubeError(error, this.#settings.server, `remove the sandbox ${this.name}`);
    }
  }

  async #ask<T>(
    doing: string,
    timeoutMs: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = () => this.#late(doing);
    try {
      return await withinTime({ timeoutMs, signal: this.#signal, late }, work);
    } catch (error) {
      this.#signal.throwIfAborted();
      throw await this.#explain(error, doing);
    }
  }

  #late(doing: string): TrialError {
    return new TrialError("SandboxTimeoutError", `Kubernetes did not ${doing} in time.`);
  }

  /** What the pod says of itself counts more than what a broken connection says. */
  async #explain(error: unknown, doing: string): Promise<TrialError> {
    if (error instanceof TrialError && !VAGUE.has(error.exceptionType)) return error;
    try {
      await this.#checkAlive(NEWS_MS);
    } catch (fault) {
      if (fault instanceof TrialError) return fault;
      return toKubeError(fault, this.#settings.server, doing);
    }
    const why = error instanceof Error ? error.message : String(error);
    return error instanceof TrialError
      ? error
      : new TrialError("SandboxError", `Kubernetes can not ${doing}: ${why}`, error);
  }

  /** Throws where the pod itself has ended: what ran in it did not fail by itself. */
  async #checkAlive(patienceMs: number): Promise<void> {
    const giveUpAt = Date.now() + patienceMs;
    for (;;) {
      const fault = endFault(await this.#pods.read(this.name));
      if (fault) throw fault;
      if (Date.now() >= giveUpAt) return;
      await sleep(ASK_AGAIN_MS);
    }
  }
}
