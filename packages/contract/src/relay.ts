import { z } from "zod";
import { GenerateRequest, WeightVersionSpan } from "#engine-api.ts";

/** The WebSocket subprotocol of `/ws/worker`: frames are described in docs/relay.md. */
export const RELAY_PROTOCOL = "liverl-relay.1";
/** A worker that says nothing for three of these is taken for dead. */
export const RELAY_HEARTBEAT_MS = 5_000;

const Version = z.number().int().nullable();
const Concurrency = z.number().int().positive().max(100_000);
const RequestId = z.string().max(400);

/** What a framework's worker says to the proxy. The ids and log-probs of a `chunk` and of `scores` follow the header. */
export const FromWorker = z.discriminatedUnion("t", [
  z.object({
    t: z.literal("register"),
    /** Unique among the pool's workers; a second one with the name takes the first one's place. */
    worker: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,140}$/),
    pool: z.string(),
    /** Requests that it takes at a time. */
    concurrency: Concurrency,
    /** Weights that it samples with; null where it does not know. */
    weightVersion: Version,
  }),
  z.object({
    t: z.literal("heartbeat"),
    weightVersion: Version,
    concurrency: Concurrency.optional(),
    /** False: alive, and its engine is not. */
    ready: z.boolean(),
  }),
  z.object({ t: z.literal("chunk"), id: RequestId }),
  z.object({
    t: z.literal("end"),
    id: RequestId,
    finishReason: z.string().nullable(),
    spans: z.array(WeightVersionSpan).nullable(),
    /** Oldest and newest weights that sampled, where no spans tell which token is whose. */
    versionBounds: z.tuple([z.number().int(), z.number().int()]).nullish(),
    weightVersion: Version,
    routedExperts: z.string().nullable().default(null),
  }),
  /** The kept prefix is not the one that the request goes on from: the whole prompt is to be sent. */
  z.object({ t: z.literal("need"), id: RequestId }),
  z.object({
    t: z.literal("error"),
    id: RequestId,
    /** `away`: elsewhere it may work; `refused`: it never will; `full`: too many at a time. */
    kind: z.enum(["away", "refused", "full"]),
    status: z.number().int().default(502),
    message: z.string(),
  }),
  z.object({ t: z.literal("scores"), id: RequestId }),
]);
export type FromWorker = z.infer<typeof FromWorker>;

/** What the proxy says to a worker. The new ids of a `generate` and all ids of a `score` follow the header. */
export const ToWorker = z.discriminatedUnion("t", [
  z.object({ t: z.literal("registered"), heartbeatMs: z.number().int().positive() }),
  z.object({
    t: z.literal("generate"),
    id: RequestId,
    session: z.string(),
    /** The prompt is so many ids of what the session's last request left, and the ids that follow. */
    keep: z.number().int().nonnegative(),
    /** `digestOf` the kept ids. */
    digest: z.string(),
    sampling: GenerateRequest.shape.sampling_params,
    cacheSalt: z.string(),
  }),
  z.object({ t: z.literal("score"), id: RequestId, temperature: z.number() }),
  /** `cut`: nobody reads on. Else the stream is to end by itself, with its versions. */
  z.object({ t: z.literal("abort"), id: RequestId, cut: z.boolean() }),
]);
export type ToWorker = z.infer<typeof ToWorker>;
