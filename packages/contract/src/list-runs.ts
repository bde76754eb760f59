import { z } from "zod";
import { RUN_FIELDS } from "#filter/filter-fields.ts";
import { MAX_FILTER_LENGTH } from "#filter/filter-tree.ts";
import { RunStatus, RunSummary } from "#run.ts";

/** Fields of the filter language that have an order, which a list of words has not, and the time at which a run began. */
export const RUN_SORT_FIELDS = [
  "started",
  ...RUN_FIELDS.filter(({ kind }) => kind !== "list").map(({ name }) => name),
] as const;
export type RunSortField = (typeof RUN_SORT_FIELDS)[number];

/** `-reward`: a field to sort by, with `-` before it for the largest first. */
export const RunSort = z
  .string()
  .regex(/^-?[a-z]+$/)
  .refine((sort) => readRunSort(sort) !== null, {
    error: () =>
      `a field to sort by, with - before it for the largest first: ${RUN_SORT_FIELDS.join(", ")}`,
  });
export const NEWEST_RUNS = "-started";

/** The field and the direction; null where there is no such order. */
export function readRunSort(sort: string): { field: RunSortField; isFalling: boolean } | null {
  const field = RUN_SORT_FIELDS.find((name) => name === sort.replace(/^-/, ""));
  return field === undefined ? null : { field, isFalling: sort.startsWith("-") };
}

export const ListRuns = z.object({
  project: z.string().optional(),
  status: z.array(RunStatus).optional(),
  /** Those alone that want a look: failed ones, and of those that go on the ones with a mark that is not green. */
  look: z.boolean().optional(),
  /** In the filter language; empty or left out, all match. */
  f: z.string().max(MAX_FILTER_LENGTH).optional(),
  /** Runs without a value come last in either direction; equal ones newest first. */
  sort: RunSort.optional(),
  /** Each costs a verdict: ask for as many as are looked at. */
  limit: z.number().int().min(1).max(1_000).default(100),
  /** `nextCursor` of an answer to the same question: goes on where that ended. */
  cursor: z.string().max(2_000).optional(),
});
export type ListRuns = z.infer<typeof ListRuns>;

export const RunPage = z.object({
  runs: z.array(RunSummary),
  /** Null on the last page. */
  nextCursor: z.string().nullable(),
  /** That match, with those of other pages. */
  total: z.number().int(),
  /** Of all that match the project and the filter, whatever statuses were asked for. */
  counts: z.object({
    status: z.record(RunStatus, z.number().int()),
    look: z.number().int(),
  }),
});
export type RunPage = z.infer<typeof RunPage>;
