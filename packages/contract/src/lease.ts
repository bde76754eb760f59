import { z } from "zod";
import { RegisterRun } from "#proxy-admin.ts";
import {
  IntegrityFlag,
  PhaseRecord,
  RolloutError,
  RolloutRequest,
  SandboxKind,
  TrialChange,
  TrialTimings,
} from "#rollout.ts";
import { SandboxFacts, SandboxState } from "#sandbox.ts";
import { Termination } from "#trajectory.ts";

/** A joined runner is given up after so long without a word of it, and gives its trials up after as long without an answer. */
export const LEASE_S = 30;
export const HEARTBEAT_S = 2;

/** Of a runner that joined, as its operator named it. */
export const RunnerName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, {
  error: "A runner is named by up to 63 letters, digits, '.', '_' and '-'.",
});

/** `POST /api/v1/leases?wait=S`: an attempt of a task in Harbor's format, {@link LeaseGrant}. */
export const LeaseRequest = z.strictObject({
  runner: RunnerName,
  /** Trials that it runs at once, at most. */
  slots: z.number().int().min(1),
  sandbox: SandboxKind,
});
export type LeaseRequest = z.infer<typeof LeaseRequest>;

/** One attempt of a trial, for one runner; it ends with a {@link LeaseResult}, or when heartbeats stay away. */
export const Lease = z.object({
  leaseId: z.string(),
  request: RolloutRequest.omit({ proxy: true }),
  change: TrialChange,
  run: RegisterRun,
  /** Harbor's `task_checksum`: `GET …/task` gives the folder as a tar. */
  taskDigest: z.string(),
});
export type Lease = z.infer<typeof Lease>;

/** Null: none came up while it waited. */
export const LeaseGrant = z.object({ lease: Lease.nullable() });

/** `POST /api/v1/leases/:id/heartbeat`. */
export const LeaseHeartbeat = z.strictObject({
  /** What the trial does now; null before it does anything. */
  phase: PhaseRecord.extend({
    state: SandboxState,
    deadlineAt: z.iso.datetime().nullable(),
    sandbox: z.object({ name: z.string(), facts: SandboxFacts }).nullable(),
  }).nullable(),
  /** What its log got since the last one. */
  log: z.string(),
});
export type LeaseHeartbeat = z.infer<typeof LeaseHeartbeat>;
/** The attempt is to be ended: its run was stopped. */
export const LeaseAnswer = z.object({ cancelled: z.boolean() });

/** `POST /api/v1/leases/:id/session` opens the attempt's session; its calls go to `…/leases/:id/v1`, with this key. */
export const LeaseSession = z.strictObject({ verifyS: z.number().min(0) });
export const LeaseKey = z.object({ apiKey: z.string(), expiresAt: z.string() });

/** An attempt that came to its end; what the session tells of it is known where that is. */
export const LeaseOutcome = z.strictObject({
  status: z.enum(["succeeded", "cancelled"]),
  reward: z.number().nullable(),
  termination: Termination,
  turns: z.number().int(),
  timings: TrialTimings,
  flags: z.array(IntegrityFlag),
  endedAt: z.iso.datetime(),
});
export type LeaseOutcome = z.infer<typeof LeaseOutcome>;

/** `POST /api/v1/leases/:id/result`, after the trial's files: how the attempt ended. */
export const LeaseResult = z.union([
  z.strictObject({ outcome: LeaseOutcome }),
  /** `stopped`: the runner was told to end, which says nothing of the trial. */
  z.strictObject({
    failure: RolloutError,
    stopped: z.boolean(),
    flags: z.array(IntegrityFlag).default([]),
  }),
]);
export type LeaseResult = z.infer<typeof LeaseResult>;
