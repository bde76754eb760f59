import { z } from "zod";
import { Count32 } from "#int32.ts";
import { RolloutStage } from "#live-rollout.ts";
import {
  IntegrityKind,
  RolloutError,
  RolloutMode,
  RolloutStatus,
  SandboxPhase,
  TrialTimings,
} from "#rollout.ts";
import { RolloutTraining } from "#rollout-training.ts";
import { ForkLink } from "#run.ts";
import { TrainedSummary } from "#trained-view.ts";
import { Termination } from "#trajectory.ts";
import {
  LogprobSpread,
  MOST_TURN_CHARACTERS,
  MOST_TURN_TOKENS,
  OfSegment,
  TurnOutline,
  TurnView,
} from "#turn-view.ts";
import { UntrainedSum } from "#untrained-tokens.ts";
import { Contradiction, HonestSibling, VerifierView } from "#verifier-view.ts";

/** One rollout as lists, scatter plots and groups show it. */
/** What a rollout that has not ended does now. */
export const LiveState = z.object({
  stage: RolloutStage,
  since: z.string().nullable(),
  /** When anything happened last: a token, a call, a stage. */
  lastSignAt: z.string().nullable(),
  /** What such a stage usually takes in this run, seconds; null while too few rollouts ended. */
  usualS: z.number().nullable(),
  /** Without a sign of life for much longer than that. */
  isStuck: z.boolean(),
  sandbox: z.string().nullable(),
});
export type LiveState = z.infer<typeof LiveState>;

export const RolloutRow = z.object({
  rolloutId: z.string(),
  sessionId: z.string(),
  groupId: z.string(),
  index: z.number().int(),
  taskId: z.string(),
  taskName: z.string(),
  /** The step that trained it, where the trainer tells and took it; null where it did not. Of other runs the step that asked. */
  step: z.number().int().nullable(),
  askedStep: z.number().int().nullable(),
  mode: RolloutMode,
  status: RolloutStatus,
  reward: z.number().nullable(),
  /** By the rewards of its group that train; null where the trainer's estimator does not take it from these alone. */
  advantage: z.number().nullable(),
  training: RolloutTraining,
  termination: Termination.nullable(),
  error: RolloutError.nullable(),
  /** So far, of one that has not ended; null while that is not known. */
  turns: z.number().int().nullable(),
  tokensSampled: z.number().int().nullable(),
  tokensTotal: z.number().int().nullable(),
  /** What it does now; null once it has ended, and while the runner does not tell. */
  live: LiveState.nullable(),
  truncated: z.boolean(),
  keptSegments: z.number().int(),
  /** Signs that the reward was not earned; their evidence is in the trial. */
  integrityKinds: z.array(IntegrityKind),
  /** What people tagged it with, and wrote about it. */
  tags: z.array(z.string()),
  note: z.string().nullable(),
  versionSpan: z.tuple([z.number().int(), z.number().int()]).nullable(),
  timings: TrialTimings.nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
});
export type RolloutRow = z.infer<typeof RolloutRow>;

export const GroupRow = z.object({
  groupId: z.string(),
  taskId: z.string(),
  taskName: z.string(),
  mean: z.number().nullable(),
  std: z.number().nullable(),
  solved: z.enum(["none", "part", "all", "unknown"]),
  /** The rewards that train are equal, and that leaves the trainer's estimator without an advantage. */
  isFlat: z.boolean(),
  rollouts: z.array(RolloutRow),
});
export type GroupRow = z.infer<typeof GroupRow>;

/** Advantages of a rollout's trained tokens, as the loss took them. */
export const RecordedAdvantage = z.object({ min: z.number(), mean: z.number(), max: z.number() });
export type RecordedAdvantage = z.infer<typeof RecordedAdvantage>;

/** A headline number with its value one step earlier and a short history. */
export const Headline = z.object({
  id: z.string(),
  label: z.string(),
  value: z.number().nullable(),
  of: z.number().nullable(),
  unit: z.enum(["count", "ratio", "number", "tokens"]),
  previous: z.number().nullable(),
  history: z.array(z.number().nullable()),
  hint: z.string().nullable(),
});
export type Headline = z.infer<typeof Headline>;

export const StepView = z.object({
  step: z.number().int(),
  firstStep: z.number().int(),
  lastStep: z.number().int(),
  mode: RolloutMode,
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  versionSpan: z.tuple([z.number().int(), z.number().int()]).nullable(),
  headlines: z.array(Headline),
  /** Every metric of this step. */
  metrics: z.array(z.object({ key: z.string(), value: z.number().nullable() })),
  groups: z.array(GroupRow),
  /** Rollouts whose answer the same task was given before, and earned otherwise: known once the step is over. */
  contradicted: z.array(z.string()),
  /** Rollouts known but not finished. */
  pending: z.number().int(),
  /** Rollouts that were asked for in this step and did not train in it: in another, or in none so far. */
  askedOnly: z.object({ elsewhere: z.number().int(), nowhere: z.number().int() }),
  /** Longest response allowed, tokens; null when unknown. */
  lengthCap: z.number().int().nullable(),
  /** Null where it is not known, and of evaluations. */
  untrained: UntrainedSum.nullable(),
});
export type StepView = z.infer<typeof StepView>;
export const GetStep = z.object({
  runId: z.string(),
  step: Count32,
  mode: RolloutMode.default("train"),
});
export type GetStep = z.infer<typeof GetStep>;

export const TrajectoryView = z.object({
  rollout: RolloutRow,
  runId: z.string().nullable(),
  project: z.string(),
  instruction: z.string(),
  group: z.array(
    z.object({
      rolloutId: z.string(),
      index: z.number().int(),
      reward: z.number().nullable(),
      advantage: z.number().nullable(),
      status: RolloutStatus,
    }),
  ),
  groupMean: z.number().nullable(),
  groupStd: z.number().nullable(),
  segments: z.array(
    z.object({
      id: z.number().int(),
      trainable: z.boolean(),
      reason: z.string().nullable(),
      nodes: z.array(z.number().int()),
    }),
  ),
  /** The segment whose turns are told; null before the first turn. */
  segmentId: z.number().int().nullable(),
  /** Whether its session is still open: turns come as they are recorded. */
  live: z.boolean(),
  /** When the model call began that is under way, ISO 8601; null where none is. */
  pendingSince: z.string().nullable(),
  /** Without texts and tokens, which are read by range. */
  turns: z.array(TurnOutline),
  /** Of the sampled tokens; null where there are none. */
  logprobs: LogprobSpread.nullable(),
  /** What the update that took the segment computed of its tokens. */
  trained: TrainedSummary,
  /** What the trainer's estimator made of the reward; with `why` where that is not known. */
  advantage: z.object({ value: z.number().nullable(), why: z.string().nullable() }),
  /** Parts of the attempt in order, for the time strip. Seconds since the attempt began. */
  timeline: z.array(
    z.object({
      phase: z.enum(["queue", "env", "generate", "tool", "verify"]),
      startS: z.number(),
      endS: z.number(),
      turn: z.number().int().nullable(),
    }),
  ),
  /** Of a trial in a sandbox: what it has come to, in order, with what is still before it. Empty of others. */
  phases: z.array(
    z.object({
      phase: z.enum(["queue", ...SandboxPhase.options]),
      /** The task's step that it belongs to; null where the task has none, and before and after. */
      step: z.string().nullable(),
      /** `skipped`: the trial ended before it. */
      state: z.enum(["done", "now", "failed", "waiting", "skipped"]),
      startedAt: z.string().nullable(),
      endedAt: z.string().nullable(),
    }),
  ),
  patch: z.string().nullable(),
  verifier: VerifierView.nullable(),
  /** Null where the rollout has no sign, or nobody of its group is without one. */
  honestSibling: HonestSibling.nullable(),
  /** Null where the verifier judged no earlier answer like this one otherwise. */
  contradiction: Contradiction.nullable(),
  /** Files of the trial's folder, with the record of its tokens once the session is frozen. */
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number().int() })),
});
export type TrajectoryView = z.infer<typeof TrajectoryView>;

export const OpenTrajectory = OfSegment.extend({
  /** Node of the turn that is jumped to. */
  at: Count32.optional(),
  /** How turns that were given are shown; sampled ones are shown as their tokens. */
  given: z.enum(["text", "tokens"]).default("text"),
  /** Of one turn: tokens and characters. */
  most: z
    .object({
      tokens: z.int().positive().max(MOST_TURN_TOKENS),
      text: z.int().positive().max(MOST_TURN_CHARACTERS),
    })
    .default({ tokens: MOST_TURN_TOKENS, text: MOST_TURN_CHARACTERS }),
});
export type OpenTrajectory = z.infer<typeof OpenTrajectory>;

/** A rollout, and the turns that are seen of it first. */
export const OpenedTrajectory = z.object({ view: TrajectoryView, turns: z.array(TurnView) });
export type OpenedTrajectory = z.infer<typeof OpenedTrajectory>;

export const MergeStatus = z.enum([
  "queued",
  "running",
  "cancelling",
  "done",
  "failed",
  "cancelled",
]);
export type MergeStatus = z.infer<typeof MergeStatus>;
export const ACTIVE_MERGES = ["queued", "running", "cancelling"] as const satisfies MergeStatus[];

/** The newest merge of a checkpoint's shards into one model in Hugging Face form. */
export const CheckpointMerge = z.object({
  status: MergeStatus,
  /** What it does now, or why it ended. */
  detail: z.string().nullable(),
  /** Of what it does now, 0 to 1; null where nothing tells. */
  share: z.number().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** Its log among the run's. */
  log: z.string(),
});
export type CheckpointMerge = z.infer<typeof CheckpointMerge>;

const Possible = z.union([z.literal(true), z.string()]);

export const CheckpointRow = z.object({
  step: z.number().int(),
  path: z.string(),
  writtenAt: z.string(),
  seconds: z.number().nullable(),
  sizeBytes: z.number().int(),
  onDisk: z.boolean(),
  /** Whether every file that a resume needs is there. */
  complete: z.boolean(),
  contents: z.array(z.string()),
  weightsSha256: z.string().nullable(),
  stateSha256: z.string().nullable(),
  reward: z.number().nullable(),
  heldOutReward: z.number().nullable(),
  loadedBy: z.array(z.string()),
  forks: z.array(ForkLink),
  merge: CheckpointMerge.nullable(),
  /** The whole model in Hugging Face form; null where it must be merged first. */
  hf: z.object({ path: z.string(), sizeBytes: z.number() }).nullable(),
  /** A string says why not. */
  can: z.object({
    merge: Possible,
    download: Possible,
    forkResume: Possible,
    forkWeights: Possible,
  }),
});
export type CheckpointRow = z.infer<typeof CheckpointRow>;

export const LogLine = z.object({
  /** Byte offset of the line in its file: the cursor for paging. */
  offset: z.number().int(),
  at: z.string().nullable(),
  level: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "unknown"]),
  text: z.string(),
});
export type LogLine = z.infer<typeof LogLine>;
export const ReadLog = z.object({
  runId: z.string(),
  source: z.string(),
  /** Lines before this offset; absent reads the end of the file. */
  before: z.number().int().optional(),
  /** Lines from this offset on. */
  after: z.number().int().optional(),
  limit: z.number().int().min(1).max(5000).default(500),
  q: z.string().max(200).optional(),
});
export type ReadLog = z.infer<typeof ReadLog>;
export const LogPage = z.object({
  lines: z.array(LogLine),
  start: z.number().int(),
  end: z.number().int(),
  sizeBytes: z.number().int(),
});
export type LogPage = z.infer<typeof LogPage>;
