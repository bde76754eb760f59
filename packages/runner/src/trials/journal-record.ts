import { RegisterRun } from "@liverl/contract/proxy-admin";
import { RolloutRequest, TrialChange } from "@liverl/contract/rollout";
import { SessionOutcome } from "@liverl/contract/session-view";
import { z } from "zod";

/** What the runner's journal holds: enough to know every run, rollout, change and outside session again. */
export const JournalRecord = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run"), runId: z.string(), run: RegisterRun, at: z.string() }),
  z.object({ kind: z.literal("run-removed"), runId: z.string(), at: z.string() }),
  z.object({ kind: z.literal("accepted"), request: RolloutRequest, change: TrialChange }),
  z.object({
    kind: z.literal("change"),
    change: TrialChange,
    /** Its attempt ended with the runner, which did not mean to. */
    diedWithRunner: z.literal(true).optional(),
  }),
  /** The runner was told to end: what ran then did not bring that about. */
  z.object({ kind: z.literal("closed"), at: z.string() }),
  z.object({
    kind: z.literal("session-opened"),
    sessionId: z.string(),
    runId: z.string(),
    taskId: z.string().nullable().default(null),
    /** Relative to the data directory. */
    directory: z.string().nullable().default(null),
    at: z.string(),
  }),
  z.object({
    kind: z.literal("session-completed"),
    sessionId: z.string(),
    path: z.string(),
    outcome: SessionOutcome.nullable().default(null),
    at: z.string(),
  }),
]);
export type JournalRecord = z.infer<typeof JournalRecord>;
