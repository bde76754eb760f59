import type { RolloutError } from "@liverl/contract/rollout";
import type { ArtifactConfig } from "@liverl/durable/tasks/artifact-config";
import type { Rewards } from "#tasks/parse-reward.ts";

/** When a phase began and ended; null where it did not get there. */
export type Phase = readonly [from: Date, to: Date] | null;

/** Tokens that the agent's model calls took. */
export interface ModelUse {
  /** With the cached ones. */
  inputTokens: number | null;
  cachedTokens: number | null;
  outputTokens: number | null;
}

/** What one step of a task of several steps came to. */
export interface StepRecord {
  name: string;
  use: ModelUse | null;
  rewards: Rewards | null;
  exception: TrialException | null;
  agentExecution: Phase;
  verifier: Phase;
}

export interface TrialException extends RolloutError {
  /** Left out: the message is all there is. */
  exception_traceback?: string;
}

/** One trial as Harbor's files tell it, whatever kind of task it was. */
export interface TrialRecord {
  /** The trial's folder, absolute. Its name is the trial's name. */
  root: string;
  /** The step's folder is a job of Harbor's; this is what the job's id is made of. */
  jobKey: string;
  /** What the trial's id is made of, so that a repeat writes the same. */
  trialKey: string;
  task: {
    name: string;
    /** Folder of the task, or its reference where it has none. */
    path: string;
    /** The data set's name. */
    source: string | null;
    checksum: string;
  };
  agent: { name: string; version: string; env?: Readonly<Record<string, string>> };
  model: { name: string; provider: string | null };
  /** A kind that Harbor knows (`docker`), or the import path of one that it does not. */
  environment: { type: "docker" } | { importPath: string };
  /** Null in a task of several steps: each has its own. */
  verifierMode: "shared" | "separate" | null;
  verifierEnv?: Readonly<Record<string, string>>;
  timeoutMultiplier?: number;
  artifacts?: readonly ArtifactConfig[];
  use: ModelUse | null;
  /** Free facts of the agent's run. */
  metadata: Readonly<Record<string, unknown>>;
  rewards: Rewards | null;
  exception: TrialException | null;
  startedAt: Date;
  finishedAt: Date;
  environmentSetup: Phase;
  agentSetup: Phase;
  agentExecution: Phase;
  verifier: Phase;
  steps: readonly StepRecord[] | null;
  /** Lines of `trial.log`. */
  log: readonly string[];
  /** What no file may hold: keys of sessions, values from this host's environment. */
  secrets?: readonly string[];
}

/** A row of `artifacts/manifest.json`: what was carried out of the sandbox, and what became of it. */
export interface ArtifactManifestRow {
  /** Path in the sandbox. */
  source: string;
  /** Below the trial's folder: `artifacts/…`. */
  destination: string;
  type: "file" | "directory";
  status: "ok" | "failed" | "empty" | "skipped";
  /** Null: the main one. */
  service: string | null;
  exclude: readonly string[];
}
