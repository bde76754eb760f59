import { z } from "zod";

/** How far an open session of the proxy has come. */
export const SessionProgress = z.object({
  /** Answered calls of the main line. */
  turns: z.number().int(),
  /** Those of calls that are being answered among them. */
  tokensSampled: z.number().int(),
  tokensTotal: z.number().int(),
  /** Whether an engine answers a call now. */
  isGenerating: z.boolean(),
  /** When the oldest call that is being answered began, or the newest ended; null before the first. */
  since: z.string().nullable(),
  /** When a call began, gave tokens or ended last; null before the first. */
  lastSignAt: z.string().nullable(),
});
export type SessionProgress = z.infer<typeof SessionProgress>;

/**
 * What a rollout does before it ends. `agent`: the agent runs, and has not called the model yet, or its proxy does not answer. `tool`:
 * it works on the newest response. `ending`: files are written and the sandbox is removed.
 */
export const RolloutStage = z.enum([
  "queued",
  "environment",
  "agent",
  "generate",
  "tool",
  "verify",
  "ending",
]);
export type RolloutStage = z.infer<typeof RolloutStage>;

export const STAGE_WORDS = {
  queued: "Queued",
  environment: "Environment setup",
  agent: "Agent running",
  generate: "Generating",
  tool: "Tool call",
  verify: "Verifying",
  ending: "Ending",
} as const satisfies Record<RolloutStage, string>;

/** A rollout that has not ended, as the runner and its proxies know it now. Null is what is not known. */
export const LiveRollout = z.object({
  rolloutId: z.string(),
  runId: z.string(),
  attempt: z.number().int(),
  stage: RolloutStage,
  /** When the stage began, as far as it is known. */
  since: z.string().nullable(),
  turns: z.number().int().nullable(),
  tokensSampled: z.number().int().nullable(),
  tokensTotal: z.number().int().nullable(),
  /** When anything happened last: a token, a call, a stage. */
  lastSignAt: z.string().nullable(),
  sandbox: z.string().nullable(),
});
export type LiveRollout = z.infer<typeof LiveRollout>;
export const LiveRollouts = z.object({ rollouts: z.array(LiveRollout) });
export type LiveRollouts = z.infer<typeof LiveRollouts>;
