import { z } from "zod";
import { FlatSegment, Outputs, RolloutMode, RoutingCoverage, Sampling } from "#rollout.ts";
import { CallKind, TemplateValues, Termination } from "#trajectory.ts";
import { UntrainedTokens } from "#untrained-tokens.ts";

/** An engine by its address, and what it speaks: vLLM's token API, as the embedded engine does, or sglang's. */
export const PoolEngine = z.object({
  url: z.url({ protocol: /^https?$/ }),
  api: z.enum(["vllm", "sglang"]).optional(),
});
export type PoolEngine = z.infer<typeof PoolEngine>;

/**
 * What becomes of earlier thinking. `all`: what was sampled stays. `tool-cycle`: it is stripped when the user speaks
 * again. `template`: as the chat template does it. A strip is a declared fork, `thinking-stripped`.
 */
export const ThinkingRetention = z.enum(["all", "tool-cycle", "template"]);
export type ThinkingRetention = z.infer<typeof ThinkingRetention>;

/** The engines that serve one run. */
export const EnginePool = z
  .object({
    engines: z.array(PoolEngine),
    /** Workers may dial in on `/ws/worker` and serve this pool, too. */
    relay: z.boolean().optional(),
    /** File with the engines' API key, mode 0600; null when they need none. */
    engineKeyPath: z.string().nullable(),
    /** Folder in Hugging Face form: tokenizer.json, tokenizer_config.json, config.json, chat_template.jinja. */
    modelDir: z.string(),
    modelName: z.string(),
    maxModelLen: z.number().int().positive(),
    /** Id of the model's family, where the folder's own evidence is not to decide. */
    family: z.string().optional(),
    thinkingRetention: ThinkingRetention.optional(),
    /** Serves a folder that can not be proven exact: whole renders, nothing read as thought or call, family `text`. */
    textMode: z.boolean().optional(),
    /** What the template is told besides, as `enable_thinking`: vLLM's `chat_template_kwargs`. */
    templateValues: TemplateValues.optional(),
  })
  .refine((pool) => pool.relay === true || pool.engines.length > 0, {
    path: ["engines"],
    error: "A pool needs an engine, or relay: true.",
  });
export type EnginePool = z.infer<typeof EnginePool>;

/** `PUT /pools/:poolId`: a whole pool. Repeats replace; durable. An unknown field is a fault. */
export const PutPool = EnginePool.safeExtend({ engines: z.array(PoolEngine.strict()) }).strict();

/** Kinds of calls; `recomputed`: assistant turns in a client's words, too, once an engine gave their log-probs. */
export const Trains = z.enum([...CallKind.options, "recomputed"]);
export type Trains = z.infer<typeof Trains>;

/** `live` shows plain text and thinking as they are sampled; a tool call never leaves before its turn is durable. */
export const StreamMode = z.enum(["durable", "live"]);

/** A session as the proxy keeps it: {@link CreateSession} with every gap filled. */
export const OpenSession = z.object({
  sessionId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,140}$/),
  poolId: z.string(),
  rolloutId: z.string().nullable(),
  attempt: z.number().int(),
  runId: z.string().nullable(),
  taskId: z.string().nullable(),
  groupId: z.string().nullable(),
  step: z.number().int().nullable(),
  mode: RolloutMode,
  /** Wins over what the client asks for; null lets the client choose within the engine's limits. */
  sampling: Sampling.nullable(),
  /** Absolute folder that gets `proxy_trajectory.json` at the end. */
  directory: z.string(),
  expiresAt: z.string(),
  maxCalls: z.number().int().positive(),
  /** Whose tokens train. What is left out is captured all the same. */
  trains: z.array(Trains).default(["main"]),
  /** How many of the session's segments train, for trainers that take one sequence of each rollout. */
  outputs: Outputs.default("all"),
  stream: StreamMode.default("durable"),
  /** What the template is told besides; wins over the pool's and over what the client asks for. */
  templateValues: TemplateValues.optional(),
  /** Keeps which experts a mixture of experts chose, from engines that were started to tell it. */
  routedExperts: z.boolean().optional(),
});
export type OpenSession = z.infer<typeof OpenSession>;
/** As it is asked for: what has a default may be left out. */
export type OpenSessionInput = z.input<typeof OpenSession>;

/**
 * `POST /sessions`: every field may be left out, an unknown one is a fault. Idempotent by `sessionId`: a repeat answers the same, other settings
 * are a CONFLICT. Left out: the id is minted, the pool is the only one, the session trains, the client chooses its
 * sampling, and folder, expiry and budget are the proxy's own.
 */
export const CreateSession = OpenSession.extend({
  // Without their defaults: what a repeat leaves out must not differ from what stands.
  trains: OpenSession.shape.trains.unwrap(),
  outputs: OpenSession.shape.outputs.unwrap(),
  stream: OpenSession.shape.stream.unwrap(),
  sampling: Sampling.nullable(),
})
  .partial()
  .strict();
export type CreateSession = z.infer<typeof CreateSession>;

export const OpenedSession = z.object({
  sessionId: z.string(),
  /** `<agentUrl>/sess/<id>/v1`; the capability goes as API key (Bearer or x-api-key). */
  baseUrl: z.string(),
  apiKey: z.string(),
  expiresAt: z.string(),
});
export type OpenedSession = z.infer<typeof OpenedSession>;

/** One call as its client saw it: JSON texts. Null where it is not known, or was never answered. */
export const CallExchange = z.object({
  request: z.string().nullable(),
  response: z.string().nullable(),
});
export type CallExchange = z.infer<typeof CallExchange>;

/** How a session ended. */
export const CompleteSession = z.object({
  reward: z.record(z.string(), z.number()).nullable(),
  termination: Termination,
});
export type CompleteSession = z.infer<typeof CompleteSession>;

const Reward = z.union(
  [z.record(z.string(), z.number()), z.number().transform((reward) => ({ reward })), z.null()],
  { error: "A reward is a number, or a map of numbers by name, or null." },
);

/**
 * `POST /sessions/:id/complete`: freezes, writes the trajectory file, answers with {@link CompletedSession}. Idempotent:
 * the first one counts. A plain number is the map `{reward}`; left out, there is no reward and the agent finished.
 */
export const EndSession = z.strictObject({
  reward: Reward.default(null),
  termination: Termination.default("agent-finished"),
});

export const CompletedSession = z.object({
  sessionId: z.string(),
  path: z.string(),
  segments: z.array(FlatSegment),
  calls: z.number().int(),
  tokensSampled: z.number().int(),
  tokensTotal: z.number().int(),
  versionSpan: z.tuple([z.number().int(), z.number().int()]).nullable(),
  truncated: z.boolean(),
  /** Segments that would train, and are only kept: {@link MODE_SINGLE_OUTPUT}. */
  keptSegments: z.number().int(),
  /** Null from a proxy that does not count them. */
  untrained: UntrainedTokens.nullable().default(null),
  routingCoverage: RoutingCoverage,
  /** Seconds spent in engine calls. */
  generateS: z.number(),
});
export type CompletedSession = z.infer<typeof CompletedSession>;

/** `GET /sessions/:id/files` of a completed session: its two files, as texts. `DELETE` drops them where they were. */
export const SessionFiles = z.object({ trajectory: z.string(), requests: z.string() });
export type SessionFiles = z.infer<typeof SessionFiles>;

/**
 * Outside agents: `POST /api/v1/sessions` on control, forwarded to the runner's admin port. Left out: the run that was
 * launched last, and what {@link CreateSession} says of the rest. `mode` is a label: a run trains on its own rollouts alone.
 */
export const CreateOutsideSession = z
  .strictObject({ runId: z.string(), taskId: z.string().max(500) })
  .extend(
    CreateSession.pick({ mode: true, sampling: true, maxCalls: true, trains: true, stream: true })
      .shape,
  )
  .partial();
export type CreateOutsideSession = z.infer<typeof CreateOutsideSession>;

/**
 * `POST /api/v1/sessions/:id/complete` on control, forwarded likewise; answered with {@link EndedSession}. What is left
 * out is as in {@link EndSession}. The first one counts: another reward or termination afterwards is a CONFLICT.
 */
export const EndOutsideSession = z
  .strictObject({ reward: Reward, termination: Termination })
  .partial();
export type EndOutsideSession = z.infer<typeof EndOutsideSession>;

/** How an outside agent's session ended: its file, and counts of what that holds. */
export const EndedSession = CompletedSession.pick({
  path: true,
  calls: true,
  tokensSampled: true,
  versionSpan: true,
}).extend({
  /** How many. */
  segments: z.number().int(),
  ...CompleteSession.shape,
});
export type EndedSession = z.infer<typeof EndedSession>;

const IMPORT_PATH = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$/;

/** Agents for tasks in Harbor's format: our own loop with one tool, programs that work in the sandbox, Harbor's own, the task's own solution, and nobody. */
export const AgentName = z.enum([
  "mini",
  "claude-code",
  "codex",
  "opencode",
  "mini-swe-agent",
  "openhands-sdk",
  "terminus-2",
  "oracle",
  "nop",
]);
export type AgentName = z.infer<typeof AgentName>;

/** One of {@link AgentName}, or the class of an agent of Harbor: `module.path:ClassName`. */
export const AgentChoice = z
  .string()
  .max(300)
  .refine(
    (text) => AgentName.safeParse(text).success || IMPORT_PATH.test(text),
    `is ${AgentName.options.join(", ")} or module.path:ClassName`,
  );
export type AgentChoice = z.infer<typeof AgentChoice>;

/** `PUT /api/v1/runs/:runId` on the runner's admin port: what its rollouts need. Durable; repeats replace. */
export const RegisterRun = z.object({
  project: z.string(),
  pool: EnginePool,
  concurrency: z.number().int().positive(),
  maxTurns: z.number().int().positive(),
  rolloutTimeoutS: z.number().positive(),
  /** Who works on tasks in Harbor's format; `mini` when left out. */
  agent: AgentChoice.optional(),
  /** Each rollout brings the proxy of its trainer's host: the runner's own does not know the run's pool. */
  trainerProxies: z.boolean().optional(),
  /** What the chat template is told besides in every session of the run, such as `enable_thinking`. */
  templateValues: TemplateValues.optional(),
});
export type RegisterRun = z.infer<typeof RegisterRun>;
