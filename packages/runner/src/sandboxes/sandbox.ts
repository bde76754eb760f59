import type { Readable, Writable } from "node:stream";
import type { SandboxFacts, SandboxState } from "@liverl/contract/sandbox";
import type { TerminalSize } from "@liverl/contract/shell";
import type { FileChange } from "#integrity/judge-changes.ts";
import type { NetworkUse } from "#integrity/judge-network.ts";
import type { Excludes } from "#sandboxes/exclude-paths.ts";
import type { TrialError } from "#trials/trial-error.ts";

/** `too-many`: more than can be looked at. */
export type Changes = readonly FileChange[] | "too-many";

/** Where an agent and its verifier work, whoever provides it. Every failure that is not theirs is a `TrialError`. */
export interface Sandbox {
  /** Name of it where it runs, as an operator would look for it. */
  readonly name: string;
  readonly facts: SandboxFacts;
  /** Runs a command to its end. Throws where the sandbox is gone, and the signal's reason when that is aborted. */
  exec(command: ExecCommand): Promise<ExecResult>;
  /** Starts a command that is spoken with while it runs. Throws as {@link exec} does. */
  stream(command: StreamCommand): Promise<CommandStream>;
  /** Starts a shell with a terminal, for a person, as the container's own user. Throws as {@link exec} does. */
  openTerminal(size: TerminalSize): Promise<Terminal>;
  /**
   * Ends every process in it, whatever session or group it hid in. Files stay. Tells whether memory ever ran out. One that
   * was ended by what ran in it comes up again and `end` is told, where what provides it can do that; else the end is thrown.
   */
  endProcesses(): Promise<EndedProcesses>;
  /**
   * Once the tests have ended: throws where something from outside, or a memory or disk that was full, may be what they
   * failed for, as far as what provides the sandbox can tell. No command may run in it
   * before {@link endProcesses} then.
   */
  checkSound(): Promise<void>;
  /** Makes folders that everyone may write to, with those above them. */
  makeFolders(paths: readonly string[]): Promise<void>;
  /** Copies a file, or a folder's content, of this host to a path of the sandbox. Files become root's, links what they lead to. */
  upload(from: string, to: string): Promise<void>;
  /** Whether there is anything at the path; asked of what provides the sandbox, which no program in it can change. */
  has(path: string): Promise<boolean>;
  /** Folders in which commands without a path are looked for, as the sandbox was made. */
  searchPath(): Promise<readonly string[]>;
  /** What is not as the image has it, by what provides the sandbox; null where that can not tell. */
  changes(): Promise<Changes | null>;
  /** Waits until its network is watched, anew where its processes were ended since; false where it has none, or what provides the sandbox can not watch it. */
  watchNetwork(): Promise<boolean>;
  /** What it was connected to since then, while its processes run; null where that is not watched. */
  networkUse(): Promise<NetworkUse | null>;
  /**
   * Copies a file or a folder's content out; null where there is nothing. Links and devices are left out, and what of a
   * folder `excludes` names, and names that this host can not write.
   */
  download(from: string, to: string, excludes?: Excludes): Promise<Downloaded | null>;
  /** Ends and deletes it. May be called again. */
  destroy(): Promise<void>;
}

export interface EndedProcesses {
  ranOutOfMemory: boolean;
  /** How what ran in it had ended it before; left out: it had not. */
  end?: TrialError;
}

export interface ExecCommand {
  argv: readonly string[];
  /** Null: the image's own. */
  user: string | number | null;
  env?: Readonly<Record<string, string>>;
  /** When it is over, the command's process group is killed; null for no limit. */
  timeoutMs: number | null;
  /** Of both streams together; of more, the beginning and the end are kept. */
  maxOutputBytes: number;
  /** Told of both streams as they come, all of them. */
  onOutput?: (chunk: Buffer) => void;
  signal: AbortSignal;
}

export interface ExecResult {
  /** Null when the time was over. */
  exitCode: number | null;
  /** Both streams as they came. */
  output: string;
  durationMs: number;
}

export type StreamCommand = Pick<ExecCommand, "argv" | "user" | "signal">;

/** A command that runs, and its streams. */
export interface CommandStream {
  input: Writable;
  /** Read no faster than it is taken. */
  output: Readable;
  /** The end of what it wrote to stderr. */
  errors(): string;
  /** Whether the command itself goes on, as against the way to it. */
  isRunning(): Promise<boolean>;
  /** Lets go of its streams: a command that ends with its stdin ends. */
  close(): void;
}

export interface Downloaded {
  kind: "file" | "directory";
  files: number;
  bytes: number;
  /** Links, devices, and what was over the limits. */
  leftOut: readonly string[];
}

/** A shell in a sandbox, and the terminal that it believes to have. */
export interface Terminal {
  input: Writable;
  /** Read no faster than it is taken; ends when the shell does. */
  output: Readable;
  resize(size: TerminalSize): Promise<void>;
  /** Ends the shell with all that has its terminal, as far as the sandbox still answers. Never throws. */
  close(): Promise<void>;
}

/** How far a sandbox has come that is being made. */
export interface StartStage {
  state: Extract<SandboxState, "building" | "pulling" | "pending" | "creating">;
  /** When that is over at the latest; null where nothing limits it. */
  deadline: Date | null;
}

/** What a sandbox is made of. */
export interface SandboxSpec {
  runId: string;
  trialId: string;
  attempt: number;
  image: { kind: "pull"; name: string } | { kind: "build"; folder: string };
  /** Null: no limit. */
  buildTimeoutS: number | null;
  env: Readonly<Record<string, string>>;
  /** Null: the image's own. */
  workdir: string | null;
  /** Null: {@link DEFAULT_LIMITS}. */
  cpus: number | null;
  memoryMb: number | null;
  network: "public" | "no-network";
  /** Hosts that a sandbox without a network reaches through a proxy in it; null: none. Its `programs` have the helper for it. */
  allowedHosts: readonly string[] | null;
  /** Mounted read-only; null: nothing. */
  programs: BakedPrograms | null;
  /** After so long it ends by itself, whoever has died. */
  lifeS: number;
}

/** Programs for sandboxes, brought to where those run once and mounted from there. */
export interface BakedPrograms {
  /** Tells this content from any other. */
  digest: string;
  /** On this host. */
  folder: string;
  /** In the sandbox. */
  at: string;
}

export const DEFAULT_LIMITS = { cpus: 1, memoryMb: 2_048 } as const;
