import type { RolloutError } from "@liverl/contract/rollout";
import type { Termination } from "@liverl/contract/trajectory";
import type { TerminalRecording } from "#recordings/terminal-recording.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import type { ChatClient } from "#scaffolds/chat-client.ts";
import type { ProgramName } from "#scaffolds/programs/agent-programs.ts";
import type { PlannedStep } from "#tasks/plan-task.ts";

/** An agent at work in a sandbox. */
export interface ScaffoldWork {
  sandbox: Sandbox;
  step: PlannedStep;
  /** `[solution].env` with its templates filled in; asked for by the reference solution alone. */
  solutionEnv: () => Record<string, string>;
  chat: ChatClient;
  session: { baseUrl: string; apiKey: string };
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
  /** Its own log below /logs/agent; left out where there is none. */
  output?: string;
  /** Throws what infrastructure did to it, and the signal's reason when that is aborted. */
  run(work: ScaffoldWork): Promise<ScaffoldEnding>;
}

export const finished: ScaffoldEnding = { termination: "agent-finished", exception: null };
