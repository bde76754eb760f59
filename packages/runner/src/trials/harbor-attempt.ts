import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { CompletedSession } from "@liverl/contract/proxy-admin";
import {
  type IntegrityFlag,
  PHASES_FILE,
  type PhaseRecord,
  type RolloutError,
  type SandboxPhase,
} from "@liverl/contract/rollout";
import type { SandboxState } from "@liverl/contract/sandbox";
import type { Termination } from "@liverl/contract/trajectory";
import type { z } from "zod";
import { scrubSecrets } from "#harbor-files/scrub-secrets.ts";
import { TRIAL_LOG } from "#harbor-files/write-trial-files.ts";
import type { HiddenAnswers } from "#integrity/hide-answers.ts";
import type { LiveOutput } from "#recordings/live-output.ts";
import type { Sandbox, StartStage } from "#sandboxes/sandbox.ts";
import type { Scaffold } from "#scaffolds/harbor/scaffold.ts";
import type { AttemptShells } from "#shells/attempt-shells.ts";
import type { HarborTask } from "#tasks/load-task.ts";
import type { Rewards } from "#tasks/parse-reward.ts";
import type { PlannedStep, TaskPlan } from "#tasks/plan-task.ts";
import type { Attempt } from "#trials/attempt.ts";

/** A Harbor task's attempt, filled in as it goes: whatever ends it, its files tell how far it came. */
export interface HarborAttempt extends Attempt {
  /** Absolute. */
  root: string;
  folder: string;
  scaffold: Scaffold;
  loaded: LoadedTask | null;
  progress: { turns: number; toolS: number };
  termination: Termination;
  /** Of the agent; what infrastructure did comes later and counts more. */
  exception: RolloutError | null;
  rewards: Rewards | null;
  completed: CompletedSession | null;
  /** What the image knew and the agent was not shown; null until it was looked for. */
  hidden: HiddenAnswers | null;
  flags: IntegrityFlag[];
  shells: AttemptShells;
  log: string[];
  /** What no file may hold. */
  secrets: string[];
}

export interface LoadedTask {
  task: HarborTask;
  plan: TaskPlan;
  /** The only one: tasks of several steps are refused. */
  step: PlannedStep;
  checksum: string;
}

/** The task, of which an attempt may not ask before it was loaded. */
export function loadedOf({ loaded, folder }: HarborAttempt): LoadedTask {
  if (loaded) return loaded;
  throw new AppError("INTERNAL", { userMessage: `${folder} is not loaded.` });
}

/** A line of the trial's log, which may be read while the trial goes on; its files are written whole at the end. */
export function say(attempt: HarborAttempt, text: string): void {
  const line = `${new Date().toISOString()} ${text}`;
  attempt.log.push(line);
  append(attempt, TRIAL_LOG, scrubSecrets(line, attempt.secrets));
}

function append({ root }: HarborAttempt, file: string, line: string): void {
  try {
    appendFileSync(join(root, file), `${line}\n`);
  } catch {
    // A full disk is told by what must not be lost.
  }
}

const STATES = {
  environment: "creating",
  agent: "running",
  verifier: "verifying",
  end: "terminating",
} as const satisfies Record<SandboxPhase, SandboxState>;

/** How far a sandbox has come that is made for the phase that the attempt is in. */
export function tellStage({ trial }: HarborAttempt, { state, deadline }: StartStage): void {
  const { inSandbox } = trial;
  if (inSandbox === null || inSandbox.sandbox !== null) return;
  if (inSandbox.state !== state) inSandbox.since = new Date();
  Object.assign(inSandbox, { state, deadline });
}

/** The next of an attempt's phases, told in its log. */
export function enterPhase(
  attempt: HarborAttempt,
  phase: SandboxPhase,
  text: string,
  {
    sandbox,
    limitS = null,
    output = null,
  }: {
    sandbox: Sandbox | null;
    /** How long it may take, where it has a limit of its own. */
    limitS?: number | null;
    output?: LiveOutput | null;
  },
): void {
  const since = new Date();
  attempt.trial.inSandbox = {
    phase,
    state: sandbox === null ? "pending" : STATES[phase],
    since,
    deadline: limitS === null ? null : new Date(since.getTime() + limitS * 1_000),
    sandbox,
    agent: attempt.scaffold.name,
    shells: attempt.shells,
    output,
  };
  const record: z.infer<typeof PhaseRecord> = { phase, at: since.toISOString() };
  append(attempt, PHASES_FILE, JSON.stringify(record));
  say(attempt, text);
}

export const verifierFolder = ({ root }: HarborAttempt) => join(root, "verifier");
