import type { RegisterRun } from "@liverl/contract/proxy-admin";
import type { SessionOutcome } from "@liverl/contract/session-view";
import type { Journal } from "@liverl/durable/journal";
import type { Logger } from "pino";
import type { RunnerConfig } from "#config.ts";
import type { JobFiles } from "#harbor-files/job-files.ts";
import type { OpenLease } from "#leases/open-lease.ts";
import type { Places } from "#leases/places.ts";
import type { ProxyLink } from "#proxy-process/proxy-link.ts";
import type { TrainerProxies } from "#proxy-process/trainer-proxies.ts";
import type { Sandboxes } from "#sandboxes/sandboxes.ts";
import type { AgentPool } from "#scaffolds/agent-pool.ts";
import type { ChatClient } from "#scaffolds/chat-client.ts";
import type { HarborPython } from "#scaffolds/host-agents/harbor-python.ts";
import type { ProgramStore } from "#scaffolds/programs/program-store.ts";
import type { Trial } from "#trials/trial.ts";
import type { TrialFeedLog } from "#trials/trial-feed.ts";
import type { CodePool } from "#verifier/code-pool.ts";

/** A run whose rollouts are taken, with those that wait and those that run. */
export interface RegisteredRun {
  readonly runId: string;
  /** Replaced when the run is registered again. */
  run: RegisterRun;
  readonly queue: Trial[];
  readonly running: Set<Trial>;
}

export interface OutsideSession {
  runId: string;
  taskId: string | null;
  /** Relative to the data directory. */
  directory: string | null;
  openedAt: string | null;
  completedAt: string | null;
  /** Set once completed. */
  path: string | null;
  /** How it ended; null while it is open, and where it was completed before this was recorded. */
  outcome: SessionOutcome | null;
}

export interface RunnerContext {
  readonly config: RunnerConfig;
  readonly log: Logger;
  readonly journal: Journal;
  readonly feed: TrialFeedLog;
  /** The runner's own. */
  readonly proxy: ProxyLink;
  readonly trainerProxies: TrainerProxies;
  readonly agents: AgentPool;
  readonly verifier: CodePool;
  readonly jobs: JobFiles;
  /** Where tasks in Harbor's format run. */
  readonly sandboxes: Sandboxes;
  /** Agents that run in sandboxes, and what they need there. */
  readonly programs: ProgramStore;
  /** Agents of Harbor that run on this host. */
  readonly harbor: HarborPython;
  /** What agents that run here ask the model with. */
  readonly chat: ChatClient;
  /** In order of registration: the last is the latest. */
  readonly runs: Map<string, RegisteredRun>;
  readonly trials: Map<string, Trial>;
  readonly outsideSessions: Map<string, OutsideSession>;
  /** Rollouts that are being journaled: a repeat meanwhile waits for the same. */
  readonly accepting: Map<string, Promise<Trial>>;
  /** Room for attempts, here and at joined runners. */
  readonly places: Places;
  /** Attempts that joined runners have, by the lease's id. */
  readonly leases: Map<string, OpenLease>;
  /** Aborted when the process ends: nothing new starts, what runs is left for the next life. */
  readonly closing: AbortSignal;
}

/** What an attempt in a sandbox needs of its runner, which may be one that joined. */
export type HarborContext = Pick<
  RunnerContext,
  "log" | "sandboxes" | "programs" | "harbor" | "chat" | "jobs" | "closing"
> & { readonly config: Pick<RunnerConfig, "dataDir"> };
