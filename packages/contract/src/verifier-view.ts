import { z } from "zod";
import { IntegrityFlag } from "#rollout.ts";

/** One test of a verifier, as its report (CTRF) tells. */
export const VerifierTest = z.object({
  name: z.string(),
  status: z.enum(["passed", "failed", "skipped", "pending", "other"]),
  /** Seconds. */
  seconds: z.number().nullable(),
  /** Why it failed, in the test's own words. */
  message: z.string().nullable(),
});
export type VerifierTest = z.infer<typeof VerifierTest>;

/** What a verifier left. */
const Verdict = z.object({
  stdout: z.string(),
  outcome: z.string(),
  passed: z.number().int().nullable(),
  total: z.number().int().nullable(),
  /** What it gave, by name; null where it left none. */
  rewards: z.record(z.string(), z.number()).nullable(),
  /** Null where it left no report that tells them one by one. */
  tests: z.array(VerifierTest).nullable(),
});

/** Of one step of a task. */
export const StepVerdict = Verdict.extend({
  name: z.string(),
  /** What went wrong at the step, the agent's late end among it; null where nothing did. */
  exception: z.object({ type: z.string(), message: z.string() }).nullable(),
});
export type StepVerdict = z.infer<typeof StepVerdict>;

/** In a task of several steps the sums of them all. */
export const VerifierView = Verdict.extend({
  /** Signs that the reward was not earned. */
  integrity: z.array(IntegrityFlag),
  /** Those that began, in order; empty where the task has no steps. */
  steps: z.array(StepVerdict),
});
export type VerifierView = z.infer<typeof VerifierView>;

/** What a flagged rollout is held against: one of its group that has no sign. Sizes of patches in lines added and removed. */
export const HonestSibling = z.object({
  rolloutId: z.string(),
  index: z.number().int(),
  reward: z.number(),
  /** Null where it left no patch. */
  patchLines: z.number().int().nullable(),
  /** Of the flagged one. */
  ownPatchLines: z.number().int().nullable(),
});
export type HonestSibling = z.infer<typeof HonestSibling>;

/** An earlier rollout of the same task and run that gave the same answer, word for word, and got another reward. */
export const Contradiction = z.object({
  rolloutId: z.string(),
  step: z.number().int(),
  reward: z.number(),
});
export type Contradiction = z.infer<typeof Contradiction>;
