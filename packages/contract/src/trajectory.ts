import { z } from "zod";

/** Why an attempt ended. */
export const Termination = z.enum([
  "agent-finished",
  "timeout",
  "max-turns",
  "context-overflow",
  "agent-error",
  "infra-error",
  "cancelled",
]);
export type Termination = z.infer<typeof Termination>;

/** Why a call could not extend the deepest matching node. */
export const ForkReason = z.enum([
  "system-changed",
  "tools-changed",
  "template-changed",
  "first-message-edited",
  "message-edited",
  "tool-result-edited",
  "message-inserted",
  "message-dropped",
  "message-moved",
  "assistant-edited",
  "thinking-stripped",
  "reminder-moved",
  "compaction",
  "side-request",
  "subagent",
  "retry-replay",
  "resample",
  "truncated",
  "next-step",
  "seam-unsafe",
  "no-bridge",
]);
export type ForkReason = z.infer<typeof ForkReason>;

/** Variables of a chat template, such as `enable_thinking`: `transformers`' and vLLM's `chat_template_kwargs`. */
export const TemplateValues = z.record(
  z.string().regex(/^[A-Za-z_]\w{0,99}$/),
  z.union([z.string(), z.number(), z.boolean()]),
);
export type TemplateValues = z.infer<typeof TemplateValues>;

/** A message as the chat template sees it. Loose: a dialect keeps the fields it knows. */
export const Message = z.looseObject({ role: z.string() });
export type Message = z.infer<typeof Message>;

/** A protocol that agents speak to the proxy. */
export const DialectId = z.enum(["openai-chat", "openai-responses", "anthropic-messages"]);
export type DialectId = z.infer<typeof DialectId>;

/** Header of a call that names the task's step, percent-encoded. The trial runner sets it. */
export const TASK_STEP_HEADER = "x-liverl-task-step";

/** Empty where the task has no steps. */
export const taskStepHeader = (name: string | null | undefined): Record<string, string> =>
  name == null ? {} : { [TASK_STEP_HEADER]: encodeURIComponent(name) };

/** `main`: the agent's own line of work; `side`: titles and the like; `compaction`: a summary of its own prompt. */
export const CallKind = z.enum(["main", "side", "subagent", "compaction"]);
export type CallKind = z.infer<typeof CallKind>;

/**
 * An assistant turn that stands in a given node by the client's text, since no turn of the session could stand there:
 * `[from, to)` of the node's tokens, the turn's end token with them and the template's header without. Null where the
 * template does not tell which tokens these are.
 */
export const LossyTurn = z
  .tuple([z.number().int().nonnegative(), z.number().int().positive()])
  .nullable();
export type LossyTurn = z.infer<typeof LossyTurn>;

/**
 * A number for each token. Looked at in one pass: a schema for each element takes longer over a rollout of 131,072 tokens than
 * all else that is read for its page.
 */
const perToken = <T extends number | null>(isOne: (value: unknown) => boolean, what: string) =>
  z.custom<T[]>((value) => Array.isArray(value) && value.every(isOne), {
    error: `expected ${what}, one for each token`,
  });
const TokenIds = perToken<number>(Number.isInteger, "integers");
const Logprobs = perToken<number>(Number.isFinite, "numbers");
const PolicyVersions = perToken<number | null>(
  (value) => value === null || Number.isInteger(value),
  "integers or null",
);

/** What an engine gave for the tokens of a given node's lossy turns, which no engine sampled. */
export const RecomputedLogprobs = z.object({
  /** The id that the engine was given, so that its log joins. */
  requestId: z.string(),
  temperature: z.number(),
  /** The version that scored them; null where it is not known. */
  version: z.number().int().nullable(),
  /** Nats, one for each token of the turns whose place is known, in order; null where the engine gave none. */
  logprobs: z.array(z.number().nullable()),
});
export type RecomputedLogprobs = z.infer<typeof RecomputedLogprobs>;

/** Token ids that one message added and that the engine did not sample. */
export const GivenNode = z.object({
  id: z.number().int(),
  parentId: z.number().int().nullable(),
  kind: z.literal("given"),
  role: z.string(),
  message: z.union([Message, z.array(Message)]),
  tokenIds: TokenIds,
  reason: ForkReason.nullable(),
  /** A root that goes on from elsewhere: the node it was made from (the summary, the call that spawned the subagent, …). */
  linkedFrom: z.number().int().nullable().default(null),
  /** In the order of the tokens; left out where there are none. */
  lossyTurns: z.array(LossyTurn).optional(),
  /** In sessions that train them, once an engine scored them. */
  recomputed: RecomputedLogprobs.optional(),
});
export type GivenNode = z.infer<typeof GivenNode>;

/**
 * Which experts a mixture of experts chose: a row for each token that the engine read, in the turn's order. A turn's last
 * token is read by the next turn only, so its row stands there.
 */
export const RoutedExperts = z.object({
  /** Where the first row's token stands, counted from the node's first token: negative in the prompt before it. */
  startToken: z.number().int(),
  rows: z.number().int().nonnegative(),
  /** Of one row: layers, experts of each. */
  shape: z.array(z.number().int()),
  /** numpy's name of the element type, `<i4`. */
  dtype: z.string(),
  /** Base64 of the rows, one after the other. */
  data: z.string(),
});
export type RoutedExperts = z.infer<typeof RoutedExperts>;

/** Token ids that the engine sampled; `logprobs` (nats) and `policyVersions` have the same length. */
export const SampledNode = z.object({
  id: z.number().int(),
  parentId: z.number().int(),
  kind: z.literal("sampled"),
  role: z.literal("assistant"),
  message: Message,
  tokenIds: TokenIds,
  logprobs: Logprobs,
  policyVersions: PolicyVersions,
  versionSpan: z.tuple([z.number().int(), z.number().int()]),
  callId: z.number().int(),
  /** In sessions that ask for it; null where the engine told none. */
  routedExperts: RoutedExperts.nullable().optional(),
});
export type SampledNode = z.infer<typeof SampledNode>;

export const Call = z.object({
  id: z.number().int(),
  /** The id that the engine was given, so that its log joins. One call may need several: resumes follow in order. */
  requestId: z.string(),
  requestIds: z.array(z.string()),
  dialect: DialectId,
  kind: CallKind,
  /** The client's own name of the subagent that called. */
  subagent: z.string().nullable().default(null),
  /** The step of the task that the agent was at; left out where the task has no steps. */
  taskStep: z.string().optional(),
  /** Whether the client gave an earlier turn of the agent back in other words than it was answered with. */
  rewritten: z.boolean().default(false),
  promptNodeId: z.number().int().nullable(),
  sampledNodeId: z.number().int().nullable(),
  status: z.enum(["done", "aborted", "incomplete", "error"]),
  stopReason: z.enum(["stop", "length", "tool_calls", "abort"]).nullable(),
  /** The stop string that ended the turn. */
  stopText: z.string().nullable().default(null),
  startedAt: z.string(),
  /** When the prompt was rendered and its intent durable: what follows is the engine's queue. */
  sentAt: z.string().nullable().default(null),
  firstTokenAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** What the engine was told. */
  sampling: z.record(z.string(), z.unknown()),
  /** What the client asked for and did not get. */
  requested: z.record(z.string(), z.unknown()),
  /** What the chat template was told besides, of pool, session and request; left out where it was told nothing. */
  templateValues: TemplateValues.optional(),
  /** Fields of the request that had no effect, such as `response_format` or `tools.2`; left out where there are none. */
  ignored: z.array(z.string()).optional(),
  usage: z.object({ promptTokens: z.number().int(), sampledTokens: z.number().int() }),
  fork: z.object({ reason: ForkReason, nodeId: z.number().int().nullable() }).nullable(),
  /** The equal call before it whose answer may not have reached its client; left out where there is none. */
  repeats: z.number().int().optional(),
  error: z.string().nullable(),
});
export type Call = z.infer<typeof Call>;

export const Segment = z.object({
  id: z.number().int(),
  /** Node ids from a root to a leaf. */
  path: z.array(z.number().int()),
  /** The sampled nodes that this segment trains; a node shared by several segments is in exactly one list. */
  trainedNodes: z.array(z.number().int()),
  parentSegmentId: z.number().int().nullable(),
  /** Lossy turns that this segment trains, too: `[node, from, to)`; left out where there are none. */
  recomputed: z.array(z.tuple([z.number().int(), z.number().int(), z.number().int()])).optional(),
  /** Tokens that this segment trains: those of its nodes, and the recomputed ones that have a log-prob. */
  trainedTokens: z.number().int().default(0),
  trainable: z.boolean(),
  reason: z.string().nullable(),
});
export type Segment = z.infer<typeof Segment>;

export const TRAJECTORY_FORMAT = "liverl-proxy-trajectory/1";

/** `proxy_trajectory.json`: every token of one attempt, exactly. A public format, described in docs/trajectory-format.md. */
export const ProxyTrajectory = z.object({
  format: z.literal(TRAJECTORY_FORMAT),
  sessionId: z.string(),
  rolloutId: z.string().nullable(),
  attempt: z.number().int(),
  runId: z.string().nullable(),
  taskId: z.string().nullable(),
  groupId: z.string().nullable(),
  step: z.number().int().nullable(),
  mode: z.enum(["train", "eval"]),
  model: z.object({
    name: z.string(),
    family: z.string(),
    tokenizerSha256: z.string(),
    chatTemplateSha256: z.string(),
  }),
  nodes: z.array(z.discriminatedUnion("kind", [GivenNode, SampledNode])),
  calls: z.array(Call),
  segments: z.array(Segment),
  /** The verifier's literal map, `{reward: 1}`; null when there is none. */
  reward: z.record(z.string(), z.number()).nullable(),
  termination: Termination,
});
export type ProxyTrajectory = z.infer<typeof ProxyTrajectory>;
