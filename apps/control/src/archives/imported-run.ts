import { isTerminal, RunDriver, RunSource, RunStatus } from "@liverl/contract/run";
import { isStorable, notStorable } from "@liverl/contract/storable";
import { z } from "zod";

const text = (most: number) => z.string().max(most).refine(isStorable, notStorable);
const count = z.number().int().nonnegative().max(1_000_000);
const object = z.record(z.string(), z.unknown()).nullish();
const DAY_MS = 86_400_000;
/** A clock may be a little ahead of this one, and no more. */
const moment = z
  .string()
  .refine((at) => Date.parse(at) < Date.now() + DAY_MS, "is no time, or one that is yet to come");

/** The row of a run as another LiveRL wrote it: by columns. What lists and pages read of it is what they can show. */
export const ImportedRun = z
  .looseObject({
    name: text(200).min(1),
    status: RunStatus.refine(isTerminal, "its run has not ended"),
    status_reason: text(20_000).nullish(),
    driver: RunDriver,
    source: RunSource.nullish(),
    spec: object,
    base: object,
    attached_path: text(4_096).nullish(),
    color: z.number().int().min(1).max(8),
    tags: z.array(text(200).min(1)).max(100),
    attempt: count.optional(),
    crashes: count.optional(),
    held_out_reward: z.number().nullish(),
    parent_id: text(200).nullish(),
    parent_step: count.nullish(),
    parent_how: z.enum(["resume", "weights"]).nullish(),
    created_at: moment,
    started_at: moment.nullish(),
    ended_at: moment.nullish(),
  })
  .refine(
    ({ started_at, ended_at }) =>
      !started_at || !ended_at || Date.parse(started_at) <= Date.parse(ended_at),
    { path: ["ended_at"], message: "is before it started" },
  );

export function firstIssue({ issues: [issue] }: z.ZodError): string {
  return issue === undefined ? "" : `${issue.path.join(".")}: ${issue.message}`;
}
