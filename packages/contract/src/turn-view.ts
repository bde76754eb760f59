import { z } from "zod";
import { Count32 } from "#int32.ts";

/** Most tokens of a turn, and most characters of its text, in one answer. */
export const MOST_TURN_TOKENS = 1_024;
export const MOST_TURN_CHARACTERS = 16_384;
/** Tokens of a segment in one answer. */
export const TOKEN_PAGE = 512;

/** Bars of −log p, in nats, that begin at 0; the last one holds all that is above. */
export const SURPRISE_BINS = 28;
export const SURPRISE_MAX = 2.5;

/** Bar that a −log p falls into. */
export function surpriseBin(surprise: number): number {
  const bin = Math.floor((surprise / SURPRISE_MAX) * SURPRISE_BINS);
  return Math.max(0, Math.min(SURPRISE_BINS - 1, bin));
}

/** How the log-probs of a segment's sampled tokens spread. */
export const LogprobSpread = z.object({
  count: z.number().int(),
  /** Nats. */
  mean: z.number(),
  /** Tokens by −log p, {@link SURPRISE_BINS} of them. */
  bins: z.array(z.number().int()),
});
export type LogprobSpread = z.infer<typeof LogprobSpread>;

/** Tokens as the lens draws them, equally long. `text` is what the token's bytes read as; an unfinished UTF-8 byte is `\xNN`. */
export const TokenStrip = z.object({
  ids: z.array(z.number().int()),
  text: z.array(z.string()),
  logprobs: z.array(z.number()).nullable(),
  versions: z.array(z.number().int().nullable()).nullable(),
});
export type TokenStrip = z.infer<typeof TokenStrip>;

const CallSummary = z.object({
  id: z.string(),
  name: z.string(),
  /** The argument that tells most, on one line. */
  summary: z.string(),
});

export const ToolCallView = CallSummary.extend({
  /** Cut after {@link MOST_TURN_CHARACTERS}. */
  argumentsText: z.string(),
  /** An edit's file and lines, when the call changed a file. */
  diff: z.object({ path: z.string(), patch: z.string() }).nullable(),
});
export type ToolCallView = z.infer<typeof ToolCallView>;

/** An assistant turn that stands in a given node by the client's text: `[from, to)` of the node's tokens. */
export const LossyTurnView = z.object({
  from: z.number().int(),
  to: z.number().int(),
  /** Whether this segment trains those of its tokens that have a log-prob. */
  trained: z.boolean(),
  /** Recomputed, in nats; null where none were asked for, or for a token that got none. */
  logprobs: z.array(z.number().nullable()).nullable(),
  /** The version that gave them. */
  version: z.number().int().nullable(),
});
export type LossyTurnView = z.infer<typeof LossyTurnView>;

/** One node of the conversation on the segment that is shown, without its text and tokens. */
export const TurnOutline = z.object({
  nodeId: z.number().int(),
  kind: z.enum(["given", "sampled"]),
  role: z.string(),
  /** Of its messages, each once: a session's first node holds the system's and the user's. */
  roles: z.array(z.string()),
  /** Number of the sampled turn, from 1; null for given text. */
  turn: z.number().int().nullable(),
  /** First words of its text. */
  label: z.string(),
  /** Of its text. */
  characters: z.number().int(),
  lines: z.number().int(),
  toolCalls: z.array(CallSummary),
  /** For a tool result: the call that it answers. */
  toolCallId: z.string().nullable(),
  /** Whether it is a tool's answer that reports a fault. */
  failed: z.boolean(),
  /** Whether this segment trains it. */
  trained: z.boolean(),
  /** Position of its first token in the segment, and how many it has. */
  at: z.number().int(),
  tokens: z.number().int(),
  /** Sampled tokens in runs of one weight version: `[version, tokens]`. */
  versions: z.array(z.tuple([z.number().int().nullable(), z.number().int()])),
  /** Tokens of a given node that stand in the model's place, and those of them that train by recomputed log-probs. */
  lossy: z.object({ tokens: z.number().int(), trained: z.number().int() }).nullable(),
  startedAt: z.string().nullable(),
  firstTokenAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  stopReason: z.string().nullable(),
});
export type TurnOutline = z.infer<typeof TurnOutline>;

/** A range of one node: of its tokens, or of its text. */
export const TurnView = z.object({
  nodeId: z.number().int(),
  kind: z.enum(["given", "sampled"]),
  trained: z.boolean(),
  /** The range's first token, or first character. */
  from: z.number().int(),
  /** Whether nothing of the node is after the range. */
  isEnd: z.boolean(),
  /** Empty where tokens were asked for. */
  text: z.string(),
  /** Where each message begins in the node's whole text; left out where there is one alone, or tokens were asked for. */
  parts: z.array(z.object({ role: z.string(), from: z.number().int() })).optional(),
  /**
   * What the chat template wrote into the system's part besides its message: the tools' definitions. With the first range of
   * the first node's text; cut after {@link MOST_TURN_CHARACTERS}, and left out where there is none.
   */
  templateText: z.string().optional(),
  /** Calls whose tokens begin in the range or after it. */
  toolCalls: z.array(ToolCallView),
  /** Empty where text was asked for. */
  tokens: TokenStrip,
  /** Turns in it by the client's text whose tokens are known; left out where there are none. */
  lossy: z.array(LossyTurnView).optional(),
});
export type TurnView = z.infer<typeof TurnView>;

/** A range of a segment's tokens, across its nodes; arrays are equally long. */
export const TokenPage = z.object({
  /** Position of the first. */
  from: z.number().int(),
  ids: z.array(z.number().int()),
  text: z.array(z.string()),
  /** 1 for a token that this segment trains. */
  mask: z.array(z.union([z.literal(0), z.literal(1)])),
  /** Nats; null for a token without one. */
  logprobs: z.array(z.number().nullable()),
  versions: z.array(z.number().int().nullable()),
  /** Whether it stands in the model's place by the client's text. */
  lossy: z.array(z.boolean()),
  /** Whose part of the conversation it stands in, by the chat template's headers. */
  roles: z.array(z.string()),
});
export type TokenPage = z.infer<typeof TokenPage>;

/** A node whose text holds what is sought. */
export const TurnMatch = z.object({
  nodeId: z.number().int(),
  count: z.number().int(),
  /** The first one's token of a sampled node, or character of a given one. */
  first: z.number().int(),
});
export type TurnMatch = z.infer<typeof TurnMatch>;

export const OfSegment = z.object({
  rolloutId: z.string(),
  segmentId: Count32.optional(),
});
export type OfSegment = z.infer<typeof OfSegment>;

export const GetTurn = OfSegment.extend({
  nodeId: Count32,
  part: z.enum(["text", "tokens"]),
  from: Count32,
  /** Tokens or characters. */
  size: z.number().int().positive().max(MOST_TURN_CHARACTERS),
});
export type GetTurn = z.infer<typeof GetTurn>;

/** What a rollout did, call by call, to be set beside another's. */
export const RolloutActs = z.object({
  calls: z.array(CallSummary.extend({ turn: z.number().int(), answer: z.string().nullable() })),
  /** The last message, or the calls that stand in its place; null where nothing was sampled. */
  final: z.string().nullable(),
});
export type RolloutActs = z.infer<typeof RolloutActs>;
