import { LaunchSpec } from "@liverl/contract/launch";
import {
  ForkWay,
  isTerminal,
  RunDiagnosis,
  RunDriver,
  RunSource,
  RunStatus,
} from "@liverl/contract/run";
import { z } from "zod";
import { moment, readBy, text } from "#archives/rows/row-values.ts";
import { StoredBase } from "#runs/base-of-launch.ts";

const count = z.number().int().nonnegative().max(1_000_000);
const MOST_CONFIG = 4_000_000;
const MOST_DIAGNOSIS = 200_000;
const config = z
  .record(z.string(), z.unknown())
  .refine((said) => JSON.stringify(said).length <= MOST_CONFIG, "is too long");

const diagnosis = readBy(RunDiagnosis).refine(
  (found) => JSON.stringify(found).length <= MOST_DIAGNOSIS,
  "is too long",
);

/** The row of a run as another LiveRL wrote it: by columns. What lists and pages read of it is what they can show. */
export const RunRow = z
  .object({
    id: z.string(),
    project: z.string(),
    name: text(200).min(1),
    status: RunStatus.refine(isTerminal, "its run has not ended"),
    status_reason: text(20_000).nullish(),
    diagnosis: diagnosis.nullish(),
    driver: RunDriver,
    source: RunSource.nullish(),
    spec: readBy(LaunchSpec).nullish(),
    base: readBy(StoredBase).nullish(),
    config: config.nullish(),
    attached_path: text(4_096).nullish(),
    color: z.number().int().min(1).max(8),
    tags: z.array(text(200).min(1)).max(100).nullish(),
    attempt: count.optional(),
    crashes: count.optional(),
    held_out_reward: z.number().nullish(),
    parent_id: text(200).nullish(),
    parent_step: count.nullish(),
    parent_how: ForkWay.nullish(),
    created_at: moment,
    started_at: moment.nullish(),
    ended_at: moment.nullish(),
  })
  .refine(
    ({ started_at, ended_at }) =>
      !started_at || !ended_at || Date.parse(started_at) <= Date.parse(ended_at),
    { path: ["ended_at"], message: "is before it started" },
  )
  .refine(
    ({ driver, spec }) => spec == null || LaunchSpec.safeParse(spec).data?.driver === driver,
    {
      path: ["spec"],
      message: "is of another driver than the run",
    },
  );
export type RunRow = z.infer<typeof RunRow>;
