import { z } from "zod";
import { Count32 } from "#int32.ts";
import { SAMPLING_OPTIONS } from "#rollout.ts";
import { TokenStrip } from "#turn-view.ts";

/** Completions of one replay, at most. */
export const MOST_REPLAY_SAMPLES = 16;
/** Tokens of one completion, at most. */
export const MOST_REPLAY_TOKENS = 8_192;

/** Names in an engine's log: `replay.<id>-<completion>-<k>` of a completion, `replay.<id>-score` of a score. */
export const REPLAY_REQUEST = /^replay\.[0-9a-f]{16}-(?:\d+-\d+|score)$/;
export const replayRequest = (id: string, what: number | "score") => `replay.${id}-${what}`;

/** Nothing but where the engine is, as browsers write it: whoever reads replays reads it, and the API's paths are known. */
const originOf = (url: string) => new URL(url).origin;
const EngineUrl = z
  .url({ protocol: /^https?$/, error: "Give an address such as http://10.0.0.5:8000." })
  .max(500);

function isOrigin(url: string): boolean {
  const { username, password, pathname, href } = new URL(url);
  return username === "" && password === "" && pathname === "/" && !/[?#]/.test(href);
}

const weightsOf = <Url extends z.ZodType<string>>(url: Url) =>
  z.discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("checkpoint"),
      runId: z.string().max(200),
      step: Count32,
    }),
    z.strictObject({ kind: z.literal("live"), runId: z.string().max(200) }),
    z.strictObject({
      kind: z.literal("engine"),
      url,
      api: z.enum(["vllm", "sglang"]).default("vllm"),
    }),
  ]);

/** Which weights sample: a checkpoint's, those that a run's engines have now, or those of an engine by its address. */
export const ReplayWeights = weightsOf(EngineUrl.overwrite(originOf));
export type ReplayWeights = z.infer<typeof ReplayWeights>;

/** A password in an address would be kept, and shown to all who read. */
const AskedWeights = weightsOf(
  EngineUrl.refine(isOrigin, {
    error:
      "Give the engine's scheme, host and port alone, such as http://10.0.0.5:8000: no user, password, path, query or fragment.",
  }).overwrite(originOf),
);

/** A turn of a recorded rollout: the `turn`th that was sampled on the segment, from 1. */
export const OfTurn = z.object({
  rolloutId: z.string().min(1).max(300),
  segmentId: Count32.optional(),
  turn: Count32.positive(),
});
export type OfTurn = z.infer<typeof OfTurn>;

/** What is left out is as the original was sampled. */
export const StartReplay = OfTurn.extend({
  weights: AskedWeights,
  n: z.number().int().min(1).max(MOST_REPLAY_SAMPLES).default(4),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().positive().max(1).optional(),
  maxTokens: z.number().int().min(1).max(MOST_REPLAY_TOKENS).optional(),
});
export type StartReplay = z.infer<typeof StartReplay>;

export const ReplayStatus = z.enum(["queued", "sampling", "done", "failed", "cancelled"]);
export type ReplayStatus = z.infer<typeof ReplayStatus>;

/** Where a replay may go next. */
export const REPLAY_MOVES = {
  queued: ["sampling", "failed", "cancelled"],
  sampling: ["done", "failed", "cancelled"],
  done: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<ReplayStatus, readonly ReplayStatus[]>;

export const isReplayOver = (status: ReplayStatus) => REPLAY_MOVES[status].length === 0;

/** How each completion is sampled; seeds differ by completion. */
export const ReplaySampling = z.object({
  temperature: z.number(),
  top_p: z.number(),
  max_tokens: z.number().int(),
  stop_token_ids: z.array(z.number().int()),
  ...SAMPLING_OPTIONS,
});
export type ReplaySampling = z.infer<typeof ReplaySampling>;

/** One replay in a list. */
export const ReplayRow = z.object({
  id: z.string(),
  runId: z.string(),
  rolloutId: z.string(),
  segmentId: z.number().int(),
  nodeId: z.number().int(),
  turn: z.number().int(),
  weights: ReplayWeights,
  sampling: ReplaySampling,
  n: z.number().int(),
  /** Completions that are there. */
  sampled: z.number().int(),
  status: ReplayStatus,
  /** Why it failed; null else. */
  error: z.string().nullable(),
  actor: z.string(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
});
export type ReplayRow = z.infer<typeof ReplayRow>;

/** One completion, tokens with their texts; log-probs in nats. */
export const ReplaySample = z.object({
  index: z.number().int(),
  tokens: TokenStrip,
  stopReason: z.string().nullable(),
  /** Over its tokens; null where there are none. */
  meanLogprob: z.number().nullable(),
  /** What is not as it should be with it. */
  flaw: z.string().nullable(),
});
export type ReplaySample = z.infer<typeof ReplaySample>;

export const ReplayView = ReplayRow.extend({
  /** Replays are a group of their own and never train: the database refuses any other value. */
  trains: z.literal(false),
  promptTokens: z.number().int(),
  /** SHA-256 of the prompt's ids, joined by commas. */
  promptSha256: z.string(),
  /** Of the checkpoint's weights file; null for engines that were not started for it. */
  weightsSha256: z.string().nullable(),
  original: ReplaySample.omit({ index: true, flaw: true }).extend({
    sampling: ReplaySampling,
    /** What the chosen weights give for its tokens, at the temperature that it was sampled with; null until asked. */
    scores: z.array(z.number().nullable()).nullable(),
    meanScore: z.number().nullable(),
    /** Why there are none. */
    scoreFault: z.string().nullable(),
  }),
  samples: z.array(ReplaySample),
});
export type ReplayView = z.infer<typeof ReplayView>;

/** What a turn can be sampled again with, and how it was sampled. */
export const ReplayChoices = z.object({
  turn: z.number().int(),
  promptTokens: z.number().int(),
  tokens: z.number().int(),
  sampling: ReplaySampling,
  /** Newest first, those of the rollout's own run before others'. */
  checkpoints: z.array(
    z.object({
      runId: z.string(),
      runName: z.string(),
      step: z.number().int(),
      writtenAt: z.string(),
    }),
  ),
  /** Why there is none to choose; null where there is one. */
  noCheckpoint: z.string().nullable(),
  replays: z.array(ReplayRow),
});
export type ReplayChoices = z.infer<typeof ReplayChoices>;
