import type { RolloutError } from "@liverl/contract/rollout";
import type { Termination } from "@liverl/contract/trajectory";
import type { TerminalRecording } from "#recordings/terminal-recording.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import type { ChatClient } from "#scaffolds/chat-client.ts";
import type { HarborCommand } from "#scaffolds/host-agents/harbor-python.ts";
import type { ProgramName } from "#scaffolds/programs/agent-programs.ts";
import type { HarborTask } from "#tasks/load-task.ts";
import type { PlannedStep } from "#tasks/plan-task.ts";

/** An agent at work in a sandbox. */
export interface ScaffoldWork {
  sandbox: Sandbox;
  /** The trial's folder. */
  root: string;
  task: Pick<HarborTask, "name" | "environmentFolder">;
  /** What an agent of an import path is run with; null for others. */
  harbor: HarborCommand | null;
  step: PlannedStep;
  /** `[solution].env` with its templates filled in; asked for by the reference solution alone. */
  solutionEnv: () => Record<string, string>;
  chat: ChatClient;
  /** `taskStep`: which step of its task a call belongs to; null where the task has none. */
  session: { baseUrl: string; apiKey: string; taskStep: string | null };
  model: string;
  /** Tokens of the model's context. */
  window: number;
  maxTurns: number;
  /** Aborted when the agent's time is over or its run is cancelled. */
  signal: AbortSignal;
  /** What its commands print is kept there, where it runs them one by one. */
  recording?: TerminalRecording;
  /** Counted as it goes, so that what an aborted agent did is known. */
  progress: { turns: number; toolS: number };
}

export interface ScaffoldEnding {
  termination: Termination;
  /** What the agent itself did wrong; the verifier runs all the same. */
  exception: RolloutError | null;
}

export interface Scaffold {
  name: string;
  version: string;
  /** What its sandbox has to have mounted; left out: nothing. */
  program?: ProgramName;
  /** Of a class of Harbor's that runs on this host; left out: it is none. */
  importPath?: string;
  /** Its own log below /logs/agent; left out where there is none. */
  output?: string;
  /** Throws what infrastructure did to it, and the signal's reason when that is aborted. */
  run(work: ScaffoldWork): Promise<ScaffoldEnding>;
}

export const finished: ScaffoldEnding = { termination: "agent-finished", exception: null };
