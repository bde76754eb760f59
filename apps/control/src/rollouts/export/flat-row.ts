import type { RolloutRow } from "@liverl/contract/views";

type Kind = "STRING" | "DOUBLE" | "INT32" | "BOOLEAN";
type Column = { kind: Kind; read: (row: RolloutRow) => string | number | boolean | null };

/** Columns of an exported rollout, the same in JSONL and Parquet. Times are ISO 8601, durations seconds, lists JSON. */
export const FLAT_COLUMNS: Readonly<Record<string, Column>> = {
  rollout_id: { kind: "STRING", read: (row) => row.rolloutId },
  group_id: { kind: "STRING", read: (row) => row.groupId },
  task_id: { kind: "STRING", read: (row) => row.taskId },
  task: { kind: "STRING", read: (row) => row.taskName },
  step: { kind: "INT32", read: (row) => row.step },
  asked_step: { kind: "INT32", read: (row) => row.askedStep },
  index: { kind: "INT32", read: (row) => row.index },
  mode: { kind: "STRING", read: (row) => row.mode },
  status: { kind: "STRING", read: (row) => row.status },
  reward: { kind: "DOUBLE", read: (row) => row.reward },
  advantage: { kind: "DOUBLE", read: (row) => row.advantage },
  training: { kind: "STRING", read: (row) => row.training.state },
  reason: { kind: "STRING", read: (row) => row.termination },
  error: { kind: "STRING", read: (row) => row.error?.exception_type ?? null },
  error_message: { kind: "STRING", read: (row) => row.error?.exception_message ?? null },
  turns: { kind: "INT32", read: (row) => row.turns },
  tokens_sampled: { kind: "INT32", read: (row) => row.tokensSampled },
  tokens_total: { kind: "INT32", read: (row) => row.tokensTotal },
  truncated: { kind: "BOOLEAN", read: (row) => row.truncated },
  version_min: { kind: "INT32", read: (row) => row.versionSpan?.[0] ?? null },
  version_max: { kind: "INT32", read: (row) => row.versionSpan?.[1] ?? null },
  flags: { kind: "STRING", read: (row) => JSON.stringify(row.integrityKinds) },
  tags: { kind: "STRING", read: (row) => JSON.stringify(row.tags) },
  note: { kind: "STRING", read: (row) => row.note },
  queue_s: { kind: "DOUBLE", read: (row) => row.timings?.queueS ?? null },
  setup_s: { kind: "DOUBLE", read: (row) => row.timings?.setupS ?? null },
  generate_s: { kind: "DOUBLE", read: (row) => row.timings?.generateS ?? null },
  tool_s: { kind: "DOUBLE", read: (row) => row.timings?.toolS ?? null },
  verify_s: { kind: "DOUBLE", read: (row) => row.timings?.verifyS ?? null },
  started_at: { kind: "STRING", read: (row) => row.startedAt },
  ended_at: { kind: "STRING", read: (row) => row.endedAt },
};

/** One rollout as one object, lists as lists. */
export function flatRow(row: RolloutRow): Record<string, unknown> {
  const flat = Object.fromEntries(
    Object.entries(FLAT_COLUMNS).map(([name, { read }]) => [name, read(row)]),
  );
  return { ...flat, flags: row.integrityKinds, tags: row.tags };
}
