import { RolloutStage } from "#live-rollout.ts";
import { IntegrityKind, RolloutMode, RolloutStatus } from "#rollout.ts";
import { RunDriver, RunSource, RunStatus } from "#run.ts";
import { Termination } from "#trajectory.ts";

/** A name that a filter may use. */
export interface FilterField {
  name: string;
  /** `list`: several words at once, of which one has to match. */
  kind: "number" | "text" | "choice" | "list";
  /** What it holds, with its unit, for the completion list. */
  about: string;
  /** The only words that a choice, or a list of them, can hold. */
  choices?: readonly string[];
  /** Its rows may be without a value, which is written `none`. */
  optional?: boolean;
}
export type FilterFields = readonly FilterField[];

const YES_NO = ["true", "false"] as const;

/** Fields of trajectories, in the order in which they are offered. */
export const ROLLOUT_FIELDS = [
  { name: "reward", kind: "number", about: "the verifier's reward", optional: true },
  {
    ...{ name: "reason", kind: "choice", choices: Termination.options },
    ...{ about: "why it ended", optional: true },
  },
  { name: "step", kind: "number", about: "step that trained it", optional: true },
  { name: "task", kind: "text", about: "name of the task" },
  { name: "tag", kind: "list", about: "what people tagged it with", optional: true },
  {
    ...{ name: "flag", kind: "list", choices: IntegrityKind.options },
    ...{ about: "sign that the reward was not earned", optional: true },
  },
  { name: "status", kind: "choice", choices: RolloutStatus.options, about: "state of the attempt" },
  {
    ...{ name: "stage", kind: "choice", choices: RolloutStage.options },
    ...{ about: "what it does now, before it ends", optional: true },
  },
  {
    ...{ name: "idle", kind: "number", optional: true },
    about: "seconds since its last sign of life, before it ends",
  },
  {
    ...{ name: "age", kind: "number", optional: true },
    about: "seconds since it started or was queued, before it ends",
  },
  { name: "mode", kind: "choice", choices: RolloutMode.options, about: "training or evaluation" },
  { name: "error", kind: "text", about: "class of the infrastructure error", optional: true },
  { name: "turns", kind: "number", about: "model calls of its main line" },
  { name: "tokens", kind: "number", about: "tokens, given and sampled" },
  { name: "sampled", kind: "number", about: "tokens that the policy sampled" },
  { name: "wall", kind: "number", about: "seconds from start to end", optional: true },
  {
    ...{ name: "version", kind: "number", about: "newest weights that sampled it" },
    ...{ optional: true },
  },
  { name: "asked", kind: "number", about: "step that asked for it", optional: true },
  { name: "truncated", kind: "choice", choices: YES_NO, about: "a turn ended by its token limit" },
  { name: "note", kind: "text", about: "what people wrote about it", optional: true },
  { name: "taskid", kind: "text", about: "id of the task" },
  { name: "group", kind: "text", about: "id of its group" },
  { name: "id", kind: "text", about: "id of the rollout" },
  { name: "attempt", kind: "number", about: "attempts before this one" },
] as const satisfies FilterFields;

/** Fields of runs, in the order in which they are offered. */
export const RUN_FIELDS = [
  { name: "status", kind: "choice", choices: RunStatus.options, about: "state of the run" },
  { name: "name", kind: "text", about: "name of the run" },
  { name: "tag", kind: "list", about: "tags of the run", optional: true },
  { name: "reward", kind: "number", about: "newest mean reward", optional: true },
  { name: "heldout", kind: "number", about: "reward on held-out tasks", optional: true },
  { name: "step", kind: "number", about: "newest step", optional: true },
  { name: "algorithm", kind: "text", about: "grpo, ppo, gspo", optional: true },
  { name: "mode", kind: "text", about: "trainer mode: sync, fully_async", optional: true },
  { name: "preset", kind: "text", about: "preset or run that it began as", optional: true },
  { name: "driver", kind: "choice", choices: RunDriver.options, about: "what runs it" },
  {
    ...{ name: "source", kind: "choice", choices: RunSource.options },
    ...{ about: "how the metrics of an attached run come in", optional: true },
  },
  { name: "mfu", kind: "number", about: "trainer's newest MFU, 0 to 1", optional: true },
  {
    ...{ name: "idle", kind: "number", about: "share of a step that the trainer waits" },
    optional: true,
  },
  {
    ...{ name: "steptime", kind: "number", about: "seconds of a step, median of the newest" },
    optional: true,
  },
  { name: "hours", kind: "number", about: "hours at work times devices", optional: true },
  { name: "why", kind: "text", about: "why it ended or waits", optional: true },
  { name: "id", kind: "text", about: "id of the run" },
] as const satisfies FilterFields;

export type RolloutFieldName = (typeof ROLLOUT_FIELDS)[number]["name"];
export type RunFieldName = (typeof RUN_FIELDS)[number]["name"];
