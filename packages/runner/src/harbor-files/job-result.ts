import { z } from "zod";
import { uuidOf } from "#harbor-files/trial-result.ts";

/** What a job's result tells of one trial; read from the trial's `result.json`. */
export const TrialRow = z.object({
  trial_name: z.string(),
  source: z.string().nullable(),
  agent_info: z.object({ name: z.string(), model_info: z.object({ name: z.string() }).nullable() }),
  agent_result: z
    .object({ n_input_tokens: z.number().nullable(), n_output_tokens: z.number().nullable() })
    .nullable(),
  step_results: z
    .array(
      z.object({
        agent_result: z.object({
          n_input_tokens: z.number().nullable(),
          n_output_tokens: z.number().nullable(),
        }),
      }),
    )
    .nullable(),
  verifier_result: z.object({ rewards: z.record(z.string(), z.number()) }).nullable(),
  exception_info: z.object({ exception_type: z.string() }).nullable(),
  started_at: z.string(),
  finished_at: z.string(),
});
export type TrialRow = z.infer<typeof TrialRow>;

/** Harbor's JobResult over trials that are over; there must be one. */
export function buildJobResult(jobKey: string, rows: readonly TrialRow[]) {
  const started = rows.map((row) => row.started_at).sort();
  const finished = rows.map((row) => row.finished_at).sort();
  const failed = rows.filter((row) => row.exception_info !== null);
  const evals = new Map<string, TrialRow[]>();
  for (const row of rows) {
    const key = evalKeyOf(row);
    evals.set(key, [...(evals.get(key) ?? []), row]);
  }
  return {
    id: uuidOf(jobKey),
    started_at: started[0],
    updated_at: finished.at(-1),
    finished_at: finished.at(-1),
    n_total_trials: rows.length,
    stats: {
      n_completed_trials: rows.length,
      n_errored_trials: failed.length,
      n_running_trials: 0,
      n_pending_trials: 0,
      n_cancelled_trials: failed.filter(
        (row) => row.exception_info?.exception_type === "CancelledError",
      ).length,
      n_retries: 0,
      evals: Object.fromEntries([...evals].map(([key, group]) => [key, evalOf(group)])),
      n_input_tokens: totalOf(rows, "n_input_tokens"),
      n_cache_tokens: null,
      n_output_tokens: totalOf(rows, "n_output_tokens"),
      cost_usd: null,
    },
  };
}

const evalKeyOf = ({ agent_info: { name, model_info }, source }: TrialRow) =>
  [name, model_info?.name, source ?? "adhoc"].filter(Boolean).join("__");

function evalOf(rows: readonly TrialRow[]) {
  const rewarded = rows.flatMap(({ trial_name, verifier_result }) =>
    verifier_result ? [{ trial: trial_name, rewards: verifier_result.rewards }] : [],
  );
  const names = [...new Set(rewarded.flatMap(({ rewards }) => Object.keys(rewards)))].sort();
  const failed = rows.flatMap(({ trial_name, exception_info }) =>
    exception_info ? [{ trial: trial_name, type: exception_info.exception_type }] : [],
  );
  const means = Object.fromEntries(names.map((name) => [name, meanOf(rewarded, name)]));
  return {
    n_trials: rewarded.length,
    n_errors: failed.length,
    // Harbor counts a trial without a reward as 0. A failure of the infrastructure is no reward.
    metrics: names.length === 0 ? [] : [names.join() === "reward" ? { mean: means.reward } : means],
    pass_at_k: {},
    reward_stats: Object.fromEntries(
      names.map((name) => [
        name,
        groupTrials(
          rewarded.flatMap(({ trial, rewards }) =>
            Object.hasOwn(rewards, name) ? [[String(rewards[name]), trial] as const] : [],
          ),
        ),
      ]),
    ),
    exception_stats: groupTrials(failed.map(({ trial, type }) => [type, trial] as const)),
  };
}

function meanOf(rewarded: readonly { rewards: Record<string, number> }[], name: string): number {
  const values = rewarded.flatMap(({ rewards }) => rewards[name] ?? []);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function groupTrials(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [key, trial] of pairs) groups.set(key, [...(groups.get(key) ?? []), trial]);
  return Object.fromEntries(groups);
}

function totalOf(
  rows: readonly TrialRow[],
  key: "n_input_tokens" | "n_output_tokens",
): number | null {
  const counts = rows
    .flatMap((row) =>
      row.agent_result ? [row.agent_result] : (row.step_results ?? []).map((s) => s.agent_result),
    )
    .flatMap((use) => use[key] ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}
