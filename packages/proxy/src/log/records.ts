import { CompleteSession, EnginePool, OpenSession } from "@liverl/contract/proxy-admin";
import {
  Call,
  GivenNode,
  ProxyTrajectory,
  RecomputedLogprobs,
  SampledNode,
} from "@liverl/contract/trajectory";
import { z } from "zod";
import { SentBody } from "#sessions/sent-body.ts";

/** One line of the proxy's journal. `s` is a session id. */
export const ProxyRecord = z.discriminatedUnion("t", [
  z.object({ t: z.literal("pool"), id: z.string(), pool: EnginePool.nullable() }),
  z.object({ t: z.literal("open"), session: OpenSession, model: ProxyTrajectory.shape.model }),
  /** A call begins: what it is asked with is durable before the engine hears of it. */
  z.object({
    t: z.literal("intent"),
    s: z.string(),
    call: Call,
    digest: z.string(),
    toolsKey: z.string(),
    /** Null when the call repeats an existing given node. */
    given: GivenNode.nullable(),
    body: SentBody.nullable().default(null),
  }),
  /** A call ended. */
  z.object({ t: z.literal("commit"), s: z.string(), call: Call, sampled: SampledNode.nullable() }),
  /** An engine scored the lossy turns of a given node. */
  z.object({
    t: z.literal("scores"),
    s: z.string(),
    node: z.number().int(),
    recomputed: RecomputedLogprobs,
  }),
  z.object({ t: z.literal("freeze"), s: z.string(), end: CompleteSession }),
  z.object({ t: z.literal("delete"), s: z.string() }),
]);
export type ProxyRecord = z.infer<typeof ProxyRecord>;
