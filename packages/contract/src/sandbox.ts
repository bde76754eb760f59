import { z } from "zod";
import { SandboxKind, SandboxPhase } from "#rollout.ts";

/** What a sandbox does now, in the order in which it comes to that. */
export const SandboxState = z.enum([
  /** Its image is made, or fetched. */
  "building",
  "pulling",
  /** It waits for its turn, or for a node. */
  "pending",
  "creating",
  /** The agent works. */
  "running",
  "verifying",
  "terminating",
]);
export type SandboxState = z.infer<typeof SandboxState>;

/** What is known of a sandbox that runs. */
export const SandboxFacts = z.object({
  image: z.string(),
  /** The node, or the host of the daemon; null where it is not told. */
  place: z.string().nullable(),
  cpus: z.number(),
  /** MiB. */
  memoryMb: z.number(),
});
export type SandboxFacts = z.infer<typeof SandboxFacts>;

/** A trial that has a sandbox, or waits for it. */
export const SandboxTrial = z.object({
  rolloutId: z.string(),
  runId: z.string(),
  /** The task, by its folder. */
  taskName: z.string(),
  attempt: z.number().int(),
  agent: z.string(),
  /** As an operator would look for it where it runs; null until there is one. */
  sandbox: z.string().nullable(),
  /** The joined runner that has it; null: LiveRL's own. */
  runner: z.string().nullable().default(null),
  phase: SandboxPhase,
  /** The task's step; null where it has none. */
  step: z.string().nullable().default(null),
  state: SandboxState,
  /** When the state and the attempt began. */
  since: z.string(),
  startedAt: z.string(),
  /** When the state is over at the latest; null where nothing limits it. */
  deadlineAt: z.string().nullable(),
  /** Null until it is known. */
  image: z.string().nullable(),
  /** The node or the daemon's host; null until there is one, or where it is not told. */
  place: z.string().nullable(),
  cpus: z.number().nullable(),
  /** MiB. */
  memoryMb: z.number().nullable(),
  /** Shells of operators that are open in it. */
  shells: z.number().int(),
});
export type SandboxTrial = z.infer<typeof SandboxTrial>;

/** An image on its way to where sandboxes run. */
export const ImageWork = z.object({
  name: z.string(),
  /** `waiting`: others are made before it. */
  kind: z.enum(["building", "pulling", "waiting"]),
  since: z.string(),
  /** Of a build, as its output says: `Step 3/7`; null where it does not. */
  step: z.number().int().nullable(),
  steps: z.number().int().nullable(),
  /** The newest line of its output. */
  line: z.string(),
});
export type ImageWork = z.infer<typeof ImageWork>;

/** A runner that joined, and was heard of lately. */
export const JoinedRunner = z.object({
  name: z.string(),
  sandbox: SandboxKind,
  slots: z.number().int(),
  /** Trials that it has. */
  trials: z.number().int(),
  heardAt: z.iso.datetime(),
});
export type JoinedRunner = z.infer<typeof JoinedRunner>;

/** What the runner tells of its sandboxes: trials by age, the oldest attempt first; joined runners by name. */
export const SandboxReport = z.object({
  trials: z.array(SandboxTrial),
  images: z.array(ImageWork),
  runners: z.array(JoinedRunner),
});
export type SandboxReport = z.infer<typeof SandboxReport>;

/** Errors of one type that ended rollouts in the last 24 hours. */
export const SandboxError = z.object({
  type: z.string(),
  count: z.number().int(),
  /** An hour each, the oldest first. */
  hourly: z.array(z.number().int()),
  /** The newest one. */
  last: z.object({
    at: z.string(),
    message: z.string(),
    rolloutId: z.string(),
    run: z.object({ id: z.string(), project: z.string() }).nullable(),
  }),
});
export type SandboxError = z.infer<typeof SandboxError>;
