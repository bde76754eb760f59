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
import { scrubSecrets } from "#harbor-files/scrub-secrets.ts";
import { TRIAL_LOG } from "#harbor-files/write-trial-files.ts";
import type { HiddenAnswers } from "#integrity/hide-answers.ts";
import type { LiveOutput } from "#recordings/live-output.ts";
import type { Sandbox, StartStage } from "#sandboxes/sandbox.ts";
import type { Scaffold } from "#scaffolds/harbor/scaffold.ts";
import type { HarborCommand } from "#scaffolds/host-agents/harbor-python.ts";
import type { AttemptShells } from "#shells/attempt-shells.ts";
import type { HarborTask } from "#tasks/load-task.ts";
import type { Rewards } from "#tasks/parse-reward.ts";
import type { PlannedStep, TaskPlan } from "#tasks/plan-task.ts";
import type { Attempt } from "#trials/attempt.ts";
import { type TrialError, toRolloutError } from "#trials/trial-error.ts";

/** A Harbor task's attempt, filled in as it goes: whatever ends it, its files tell how far it came. */
export interface HarborAttempt extends Attempt {
  /** Absolute. */
  root: string;
  folder: string;
  scaffold: Scaffold;
  /** What an agent of an import path is run with; null for others. */
  harbor: HarborCommand | null;
  loaded: LoadedTask | null;
  /** Those that began, in order; a task without `[[steps]]` has one. */
  steps: StepRun[];
  /** Of all steps together: the run's limit of turns is the attempt's. */
  progress: { turns: number; toolS: number };
  termination: Termination;
  rewards: Rewards | null;
  completed: CompletedSession | null;
  /** What the image knew and the agent was not shown; null until it was looked for. */
  hidden: HiddenAnswers | null;
  /** The commit that the agent was given; null where its folder is no repository. */
  base: string | null;
  flags: IntegrityFlag[];
  shells: AttemptShells;
  log: string[];
  /** What no file may hold. */
  secrets: string[];
}

/** One step of an attempt: the agent's work at it, and the verdict on that. */
export interface StepRun {
  step: PlannedStep;
  /** Absolute: gets what the step leaves. The trial's own folder in a task without steps. */
  root: string;
  termination: Termination;
  /** Of the agent; what infrastructure did comes later and counts more. */
  exception: RolloutError | null;
  rewards: Rewards | null;
  agentStartedAt?: Date;
  agentEndedAt?: Date;
  verifierEndedAt?: Date;
}

export interface LoadedTask {
  task: HarborTask;
  plan: TaskPlan;
  checksum: string;
}

/** The task, of which an attempt may not ask before it was loaded. */
export function loadedOf({ loaded, folder }: Pick<HarborAttempt, "loaded" | "folder">): LoadedTask {
  if (loaded) return loaded;
  throw new AppError("INTERNAL", { userMessage: `${folder} is not loaded.` });
}

/** Begins a step, in a folder of its own where the task has several. */
export function beginStep(attempt: HarborAttempt, step: PlannedStep): StepRun {
  const root = step.name === null ? attempt.root : join(attempt.root, "steps", step.name);
  const run: StepRun = {
    ...{ step, root, termination: "infra-error", exception: null, rewards: null },
  };
  attempt.steps.push(run);
  return run;
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

/** Ends a step's agent with what it did to its own sandbox: its doing, and not infrastructure's. */
export function blameAgent(attempt: HarborAttempt, run: StepRun, end: TrialError): void {
  run.termination = "agent-error";
  run.exception = toRolloutError(end);
  attempt.flags.push({ kind: "sandbox-ended", evidence: [end.userMessage] });
  say(attempt, `The agent's sandbox has ended: ${end.userMessage}`);
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

/** The next of an attempt's phases, told in its log; `of` is the step that it belongs to. */
export function enterPhase(
  attempt: HarborAttempt,
  phase: SandboxPhase,
  text: string,
  {
    sandbox,
    of = null,
    limitS = null,
    output = null,
  }: {
    sandbox: Sandbox | null;
    of?: StepRun | null;
    /** How long it may take, where it has a limit of its own. */
    limitS?: number | null;
    output?: LiveOutput | null;
  },
): void {
  const since = new Date();
  const step = of?.step.name ?? null;
  attempt.trial.inSandbox = {
    phase,
    step,
    state: sandbox === null ? "pending" : STATES[phase],
    since,
    deadline: limitS === null ? null : new Date(since.getTime() + limitS * 1_000),
    sandbox,
    agent: attempt.scaffold.name,
    runner: null,
    shells: attempt.shells,
    output,
  };
  const record: PhaseRecord = {
    phase,
    at: since.toISOString(),
    ...(step !== null && { step }),
    ...(phase === "environment" && stepNames(attempt)),
  };
  append(attempt, PHASES_FILE, JSON.stringify(record));
  say(attempt, step === null ? text : `Step ${step}: ${text}`);
}

function stepNames(attempt: HarborAttempt): { steps: string[] } | null {
  const names = loadedOf(attempt).plan.steps.flatMap(({ name }) => name ?? []);
  return names.length > 0 ? { steps: names } : null;
}

export const verifierFolder = ({ root }: Pick<StepRun, "root">) => join(root, "verifier");
