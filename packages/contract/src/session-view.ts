import { z } from "zod";
import { CallExchange, EndedSession } from "#proxy-admin.ts";
import { Call, ForkReason, ProxyTrajectory, Segment, Termination } from "#trajectory.ts";

/** Assistant turns by a client's text, and their tokens as far as it is known which they are. */
export const LossyCount = z.object({
  turns: z.number().int(),
  tokens: z.number().int(),
  /** Turns whose tokens are not known. */
  unlocated: z.number().int(),
  /** Tokens that got a log-prob. */
  recomputed: z.number().int(),
});
export type LossyCount = z.infer<typeof LossyCount>;

/** A node of a session's tree without its tokens: enough to draw it. */
export const NodeOutline = z.object({
  id: z.number().int(),
  parentId: z.number().int().nullable(),
  kind: z.enum(["given", "sampled"]),
  role: z.string(),
  /** How many. */
  tokens: z.number().int(),
  /** Sampled tokens in runs of one weight version, in order: `[version, tokens]`; the version is null where unknown. */
  versions: z.array(z.tuple([z.number().int().nullable(), z.number().int()])),
  /** Whether some segment trains it. */
  trained: z.boolean(),
  reason: ForkReason.nullable(),
  linkedFrom: z.number().int().nullable(),
  /** The call that sampled it. */
  callId: z.number().int().nullable(),
  /** Assistant turns that stand in it by the client's text; left out where there are none. */
  lossy: LossyCount.optional(),
});
export type NodeOutline = z.infer<typeof NodeOutline>;

export const CallOutline = Call.omit({ requestIds: true, sampling: true, requested: true });
export type CallOutline = z.infer<typeof CallOutline>;

export const SegmentOutline = Segment.omit({
  path: true,
  trainedNodes: true,
  recomputed: true,
}).extend({
  leafNodeId: z.number().int(),
  /** Of the whole path. */
  tokens: z.number().int(),
});
export type SegmentOutline = z.infer<typeof SegmentOutline>;

/** A session as it is now, without token ids and messages: what a page draws and asks for again while it is live. */
export const SessionOutline = ProxyTrajectory.omit({ format: true }).extend({
  /** Whether it is still open; then segments are what they would be if it ended now. */
  live: z.boolean(),
  /** Null while it is live. */
  termination: Termination.nullable(),
  nodes: z.array(NodeOutline),
  calls: z.array(CallOutline),
  segments: z.array(SegmentOutline),
});
export type SessionOutline = z.infer<typeof SessionOutline>;

/** A message near a fork, cut to what shows the difference. */
export const MessageExcerpt = z.object({
  /** Its place on the path, from 1. */
  number: z.number().int(),
  role: z.string(),
  before: z.string(),
  /** What the other side has not; empty where the messages are equal. */
  changed: z.string(),
  after: z.string(),
});
export type MessageExcerpt = z.infer<typeof MessageExcerpt>;

const ForkSide = z.object({
  /** The first ids after the shared prefix. */
  ids: z.array(z.number().int()),
  /** How many tokens follow those. */
  more: z.number().int(),
  messages: z.array(MessageExcerpt),
});
export type ForkSide = z.infer<typeof ForkSide>;

/** Where the path of a call leaves what was there before it. */
export const ForkDiff = z.object({
  /** Whose model it is. */
  runId: z.string().nullable(),
  callId: z.number().int(),
  /** Tokens that the call shares with the stored path: the position of the first that differs. */
  position: z.number().int(),
  /** Of the call's prompt. */
  promptTokens: z.number().int(),
  /** Sampled tokens within the shared prefix. */
  sampledBefore: z.number().int(),
  /** The last ids of the shared prefix. */
  shared: z.array(z.number().int()),
  /** Of older paths the one that shares most; null where there was none. */
  stored: ForkSide.nullable(),
  asked: ForkSide,
});
export type ForkDiff = z.infer<typeof ForkDiff>;

/** One call with its bodies. */
export const CallDetail = CallExchange.extend({ call: Call });
export type CallDetail = z.infer<typeof CallDetail>;

/** A session's record with its nodes from an id on: who asks again while it is live asks for what is new. */
export const SessionRecord = z.object({ live: z.boolean(), trajectory: ProxyTrajectory });
export type SessionRecord = z.infer<typeof SessionRecord>;

/** What can be asked about a session, as the last part of a path. */
export const SESSION_ASPECT = /^(?:outline|(forks|calls|nodes)\/(\d{1,9}))$/;

/** What is left of a session in the list of sessions once it is completed. */
export const SessionOutcome = z.object({
  calls: z.number().int(),
  /** As in the trajectory: by name; null when there is none. */
  reward: z.record(z.string(), z.number()).nullable(),
  termination: Termination,
});
export type SessionOutcome = z.infer<typeof SessionOutcome>;

/** A session of an outside agent. */
export const OutsideSessionRow = z.object({
  sessionId: z.string(),
  runId: z.string(),
  taskId: z.string().nullable(),
  /** Null where it was opened before this was recorded. */
  openedAt: z.string().nullable(),
  /** Null while it is open, or when it ended by its time. */
  completedAt: z.string().nullable(),
  state: z.enum(["open", "complete", "expired"]),
  /** Null where it ended by its time, or was completed before this was recorded. */
  calls: z.number().int().nullable(),
  inFlight: z.number().int(),
  /** Null until it is completed, and where it was before this was recorded. */
  reward: SessionOutcome.shape.reward,
  termination: Termination.nullable(),
});
export type OutsideSessionRow = z.infer<typeof OutsideSessionRow>;

/** `GET /api/v1/sessions/:id` on control and the runner's admin port; the rest is there once its file is. */
export const OutsideSessionView = z.object({
  ...OutsideSessionRow.shape,
  ...EndedSession.partial().shape,
  calls: OutsideSessionRow.shape.calls,
  reward: OutsideSessionRow.shape.reward,
  termination: OutsideSessionRow.shape.termination,
});
export type OutsideSessionView = z.infer<typeof OutsideSessionView>;

/** `GET /api/v1/sessions` on the runner's admin port: newest first. */
export const OutsideSessionList = z.object({ sessions: z.array(OutsideSessionRow) });
export type OutsideSessionList = z.infer<typeof OutsideSessionList>;

/** A token as people see it. */
export const ShownToken = z.object({ id: z.number().int(), text: z.string() });
export type ShownToken = z.infer<typeof ShownToken>;

const ForkSideView = ForkSide.omit({ ids: true }).extend({ tokens: z.array(ShownToken) });
export type ForkSideView = z.infer<typeof ForkSideView>;
/** {@link ForkDiff} with the texts of its tokens. */
export const ForkView = ForkDiff.omit({ runId: true }).extend({
  shared: z.array(ShownToken),
  stored: ForkSideView.nullable(),
  asked: ForkSideView,
});
export type ForkView = z.infer<typeof ForkView>;

/** An outside agent's session beside the name of its run; null where the run is not known any more. */
export const SessionRow = OutsideSessionRow.extend({
  project: z.string().nullable(),
  runName: z.string().nullable(),
});
export type SessionRow = z.infer<typeof SessionRow>;
