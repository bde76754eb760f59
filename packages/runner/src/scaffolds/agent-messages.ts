import { Termination } from "@liverl/contract/trajectory";
import { z } from "zod";

/** What the runner tells an agent worker. */
export const AgentCommand = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("start"),
    sessionId: z.string(),
    taskRef: z.string(),
    /** The sandbox's root. */
    sandbox: z.string(),
    baseUrl: z.string(),
    apiKey: z.string(),
    model: z.string(),
    maxTurns: z.number().int().positive(),
  }),
  z.object({ kind: z.literal("abort"), sessionId: z.string() }),
]);
export type AgentCommand = z.infer<typeof AgentCommand>;
export type AgentJob = Extract<AgentCommand, { kind: "start" }>;

/** How an agent ended. With `failure` it has not: infrastructure kept it from working. */
export const AgentReport = z.object({
  sessionId: z.string(),
  termination: Termination,
  /** Answers of the model that it acted on. */
  turns: z.number().int(),
  /** Seconds in tools. */
  toolS: z.number(),
  failure: z.object({ exceptionType: z.string(), message: z.string() }).nullable(),
});
export type AgentReport = z.infer<typeof AgentReport>;

/** What an agent worker tells the runner. */
export const WorkerMessage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("report"), report: AgentReport }),
]);
export type WorkerMessage = z.infer<typeof WorkerMessage>;
