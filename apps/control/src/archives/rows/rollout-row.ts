import { Count32, Int32 } from "@liverl/contract/int32";
import {
  IntegrityKind,
  RolloutError,
  RolloutMode,
  RolloutStatus,
  RoutingCoverage,
  TrialTimings,
} from "@liverl/contract/rollout";
import { isStorable, notStorable } from "@liverl/contract/storable";
import { Termination } from "@liverl/contract/trajectory";
import { z } from "zod";
import { idOf, moment, readBy, text } from "#archives/rows/row-values.ts";
import { MOST_NOTE, MOST_TAGS, Tag } from "#rollouts/tag.ts";

const MOST_S = 1e9;
const Timings = TrialTimings.refine(
  (parts) => Object.values(parts).every((part) => Math.abs(part) <= MOST_S),
  "a time is no number of seconds",
);
const Fault = RolloutError.extend({
  exception_type: text(1_000),
  exception_message: text(1_000_000),
  occurred_at: text(100),
});

const MOST_REASONS = 100;
/** Sums are taken over it in SQL, so that every number must be one that PostgreSQL reads. */
const Untrained = z.object({
  reasons: z
    .record(text(100).min(1), Count32)
    .refine((reasons) => Object.keys(reasons).length <= MOST_REASONS, "has too many reasons"),
  lossy: Count32,
});

/** A rollout as another LiveRL wrote it. What people said of it keeps the rules for what they say here. */
export const RolloutRow = z
  .object({
    rollout_id: idOf(),
    session_id: idOf(),
    run_id: z.string(),
    group_id: text(400).min(1),
    index: Count32,
    task_id: text(1_000),
    task_name: text(1_000),
    mode: RolloutMode,
    step: Count32.nullish(),
    asked_step: Count32.nullish(),
    attempt: Count32,
    status: RolloutStatus,
    reward: z.number().nullish(),
    termination: Termination.nullish(),
    error: readBy(Fault).nullish(),
    turns: Count32,
    tokens_sampled: Count32,
    tokens_total: Count32,
    version_min: Int32.nullish(),
    version_max: Int32.nullish(),
    truncated: z.boolean(),
    kept_segments: Count32.optional(),
    untrained: Untrained.nullish(),
    routing_coverage: RoutingCoverage.optional(),
    integrity_kinds: z.array(IntegrityKind).max(IntegrityKind.options.length).nullish(),
    timings: readBy(Timings).nullish(),
    queued_at: moment,
    started_at: moment.nullish(),
    ended_at: moment.nullish(),
    directory: text(1_000).nullish(),
    tags: z.array(Tag).max(MOST_TAGS).nullish(),
    note: z.string().max(MOST_NOTE).refine(isStorable, notStorable).nullish(),
  })
  .refine(({ rollout_id, session_id }) => session_id.startsWith(rollout_id), {
    path: ["session_id"],
    message: "is a session of another rollout",
  });
export type RolloutRow = z.infer<typeof RolloutRow>;

/** What an update took. */
export const TakenRolloutRow = z.object({
  rollout_id: idOf(),
  run_id: z.string(),
  attempt: Count32,
  step: Count32,
  update: Count32,
  version: Int32,
  lost: z.boolean(),
});
