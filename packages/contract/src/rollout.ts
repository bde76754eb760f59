import { z } from "zod";
import { RoutedExperts, Termination } from "#trajectory.ts";
import { UntrainedTokens } from "#untrained-tokens.ts";

export const RolloutMode = z.enum(["train", "eval"]);
export type RolloutMode = z.infer<typeof RolloutMode>;

export const RolloutStatus = z.enum(["queued", "running", "succeeded", "failed", "cancelled"]);
export type RolloutStatus = z.infer<typeof RolloutStatus>;

/** Where a rollout may go next. Terminal states have no way out. `succeeded` means it has a reward. */
export const ROLLOUT_MOVES = {
  queued: ["running", "failed", "cancelled"],
  running: ["queued", "succeeded", "failed", "cancelled"],
  succeeded: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<RolloutStatus, readonly RolloutStatus[]>;

/** Sampling parameters in vLLM's names that are off when left out. Every engine of a pool must honour them or refuse the request. */
export const SAMPLING_OPTIONS = {
  top_k: z.number().int().positive().optional(),
  min_p: z.number().gt(0).max(1).optional(),
  repetition_penalty: z.number().positive().max(10).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  /** Sampled tokens of one turn before it may end. */
  min_tokens: z.number().int().positive().optional(),
  ignore_eos: z.literal(true).optional(),
};
export const SamplingOptions = z.object(SAMPLING_OPTIONS);
export type SamplingOptions = z.infer<typeof SamplingOptions>;

/** Sampling parameters that a run sets; the client's own are recorded and ignored. An unknown key is an error. */
export const Sampling = z.strictObject({
  temperature: z.number().min(0).max(5),
  max_tokens: z.number().int().positive(),
  top_p: z.number().gt(0).max(1).optional(),
  seed: z.number().int().optional(),
  ...SAMPLING_OPTIONS,
});
export type Sampling = z.infer<typeof Sampling>;

/** `one`: the longest path of the main line trains, the others are kept with the reason {@link MODE_SINGLE_OUTPUT}. */
export const Outputs = z.enum(["all", "one"]);
export const MODE_SINGLE_OUTPUT = "mode-single-output";

/** A proxy that a trainer's host runs for its run, and the token of its admin port. */
export const TrainerProxy = z.object({ url: z.url({ protocol: /^https?$/ }), token: z.string() });
export type TrainerProxy = z.infer<typeof TrainerProxy>;

/**
 * `POST /api/v1/rollouts?wait=S` on the runner's admin port. The caller mints `rolloutId`;
 * a repeat returns the same rollout. 200 with {@link RolloutResult} when done, 202 while not.
 */
export const RolloutRequest = z.object({
  rolloutId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/),
  runId: z.string(),
  groupId: z.string(),
  taskRef: z.string(),
  mode: RolloutMode,
  step: z.number().int().nonnegative().nullable(),
  sampling: Sampling,
  outputs: Outputs.default("all"),
  /** Which experts each token went to is asked of the engine, for trainers that replay it (R3). */
  routedExperts: z.boolean().default(false),
  /** Where the session is opened, of runs with `trainerProxies`; never written down. */
  proxy: TrainerProxy.optional(),
});
export type RolloutRequest = z.infer<typeof RolloutRequest>;

/** One training sample, flat: lists of equal length; mask 1 on the tokens that this segment trains. */
export const FlatSegment = z.object({
  /** Place among the rollout's segments, for credit that is shared by all of them. */
  credit: z
    .object({
      segmentId: z.number().int(),
      segments: z.number().int(),
      parentSegmentId: z.number().int().nullable(),
      /** Ones in `mask`, and those of all trainable segments of the rollout: no token is counted twice. */
      trainedTokens: z.number().int(),
      rolloutTrainedTokens: z.number().int(),
    })
    .nullable()
    .default(null),
  tokenIds: z.array(z.number().int()),
  mask: z.array(z.union([z.literal(0), z.literal(1)])),
  logprobs: z.array(z.number().nullable()),
  policyVersions: z.array(z.number().int().nullable()),
  /** Oldest and newest version of the tokens that train, those of unknown version included; null where nothing is known. */
  versionSpan: z.tuple([z.number().int(), z.number().int()]).nullable().optional(),
  /** 1 on tokens that train and that no engine sampled: their log-probs were recomputed. Left out where there are none. */
  recomputed: z.array(z.union([z.literal(0), z.literal(1)])).optional(),
  reward: z.number().nullable(),
  trainable: z.boolean(),
  reason: z.string().nullable(),
  /** A row for each token but the last; null where some are missing, left out where none was asked for. */
  routedExperts: RoutedExperts.nullable().optional(),
});
export type FlatSegment = z.infer<typeof FlatSegment>;

/** Share of the tokens that train whose expert routing is known, 0 to 1; null where none was asked for. */
export const RoutingCoverage = z.number().min(0).max(1).nullable();

/** Why a rollout has no reward. Names are Harbor's exception classes where Harbor has one. */
export const RolloutError = z.object({
  exception_type: z.string(),
  exception_message: z.string(),
  occurred_at: z.string(),
});
export type RolloutError = z.infer<typeof RolloutError>;

/** Seconds that each part of an attempt took. */
export const TrialTimings = z.object({
  queueS: z.number(),
  setupS: z.number(),
  agentS: z.number(),
  generateS: z.number(),
  toolS: z.number(),
  verifyS: z.number(),
});
export type TrialTimings = z.infer<typeof TrialTimings>;

/** Signs that a reward was not earned. None of them is a proof, and none changes the reward. */
export const IntegrityKind = z.enum([
  /** A reward file or tests were there before the verifier came. */
  "reward-planted",
  /** Programs or start-up files that the tests run by. */
  "tools-changed",
  /** Packages that the image did not have. */
  "packages-installed",
  /** Other files of the system. */
  "system-changed",
  /** The patch touches tests or what runs them. */
  "tests-edited",
  /** The patch asks whether it is being tested, or leaves before it is. */
  "special-cased",
  /** The repository that the agent was given no longer tells what it changed. */
  "patch-missing",
  /** The agent, or what it left running, ended its own sandbox. */
  "sandbox-ended",
  /** More files are changed than can be looked at: of changed programs and files nothing is known. */
  "changes-unknown",
  /** Tests that the oracle's trial of this task ran are not in the report of this one, and it was rewarded. */
  "tests-missing",
  /** It connected to something, or got bytes from the network. */
  "network-used",
  /** Somebody had a shell in its sandbox while it went on: what was typed may be in its outcome. */
  "operator-shell",
]);
export type IntegrityKind = z.infer<typeof IntegrityKind>;
export const IntegrityFlag = z.object({
  kind: IntegrityKind,
  /** Paths or lines, a few of them. */
  evidence: z.array(z.string()),
});
export type IntegrityFlag = z.infer<typeof IntegrityFlag>;

export const RolloutResult = z.object({
  rolloutId: z.string(),
  sessionId: z.string(),
  attempt: z.number().int(),
  status: RolloutStatus,
  reward: z.number().nullable(),
  termination: Termination,
  error: RolloutError.nullable(),
  turns: z.number().int(),
  segments: z.array(FlatSegment),
  timings: TrialTimings,
  flags: z.array(IntegrityFlag).default([]),
});
export type RolloutResult = z.infer<typeof RolloutResult>;

/**
 * One row of the runner's feed, `GET /api/v1/trials?after=CURSOR&limit=N&wait=S`: a trial that changed.
 * Cursors grow by one a change and survive restarts; the index in PostgreSQL catches up by them.
 */
export const TrialChange = z.object({
  cursor: z.number().int(),
  rolloutId: z.string(),
  sessionId: z.string(),
  runId: z.string().nullable(),
  groupId: z.string().nullable(),
  taskId: z.string(),
  taskName: z.string(),
  mode: RolloutMode,
  step: z.number().int().nullable(),
  attempt: z.number().int(),
  status: RolloutStatus,
  reward: z.number().nullable(),
  termination: Termination.nullable(),
  error: RolloutError.nullable(),
  turns: z.number().int(),
  tokensSampled: z.number().int(),
  tokensTotal: z.number().int(),
  versionSpan: z.tuple([z.number().int(), z.number().int()]).nullable(),
  truncated: z.boolean(),
  /** Segments that only the trainer's mode keeps from training. */
  keptSegments: z.number().int().default(0),
  /** Null until its session has ended, and where they were not counted. */
  untrained: UntrainedTokens.nullable().default(null),
  routingCoverage: RoutingCoverage.default(null),
  timings: TrialTimings.nullable(),
  flags: z.array(IntegrityFlag).default([]),
  queuedAt: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** Folder of the trial, relative to the data directory; null until it is written. */
  directory: z.string().nullable(),
});
export type TrialChange = z.infer<typeof TrialChange>;

/** Where tasks in Harbor's format run. Another place is another `Sandboxes` of the trial runner. */
export const SandboxKind = z.enum(["docker", "kubernetes"], {
  error: ({ input }) =>
    `sandboxes run in docker or kubernetes, and not in ${String(input)}: docs/sandboxes.md says how another place is added`,
});
/** What a trial in a sandbox does now. */
export const SandboxPhase = z.enum(["environment", "agent", "verifier", "end"]);
export type SandboxPhase = z.infer<typeof SandboxPhase>;
/** Of a trial's folder: a line for each phase as it begins, so that a trial can be followed and an end be placed. */
export const PHASES_FILE = "phases.jsonl";
export const PhaseRecord = z.object({
  phase: SandboxPhase,
  at: z.iso.datetime(),
  /** The task's step that it belongs to; left out where the task has none. */
  step: z.string().optional(),
  /** With the first phase: the names of all steps, in order. */
  steps: z.array(z.string()).optional(),
});
export type PhaseRecord = z.infer<typeof PhaseRecord>;

/** What would start sandboxes, asked now. */
export const SandboxHost = z.object({
  /** `Docker at unix:///var/run/docker.sock`. */
  name: z.string(),
  /** Why no sandbox can start there; null: it answers. */
  fault: z.string().nullable(),
  /** Cores that it has; null where it does not tell. */
  cpus: z.number().nullable(),
});
export type SandboxHost = z.infer<typeof SandboxHost>;

export const TrialFeed = z.object({ changes: z.array(TrialChange), cursor: z.number().int() });
export type TrialFeed = z.infer<typeof TrialFeed>;
