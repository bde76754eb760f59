import { isTerminal, RunStatus } from "@liverl/contract/run";
import type { UntrainedSum } from "@liverl/contract/untrained-tokens";
import type { Context } from "#context.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { type Drops, dropsOf, whyFiltered } from "#rollouts/why-filtered.ts";

/** Rollouts that end alike, with their tokens that have one reason; `reason` null: all that they sampled. */
export interface UntrainedPart {
  status: string;
  termination: string | null;
  integrity_kinds: readonly string[];
  has_reward: boolean;
  is_taken: boolean;
  is_counted: boolean;
  reason: string | null;
  tokens: number;
  lossy: number;
}

const ENDED_RUN: string[] = RunStatus.options.filter(isTerminal);

/**
 * Sampled tokens of a run's ended training rollouts that did not train, or of those of one step. Null where no rollout has
 * counts: unknown is not 0. Rollouts that wait for an update are left out until one takes them or the run ends.
 */
export async function sumUntrained(
  { pool }: Pick<Context, "pool">,
  run: { id: string; spec: unknown },
  step: number | null = null,
): Promise<UntrainedSum | null> {
  const { rows } = await pool.query<UntrainedPart>(PARTS, [run.id, step, ENDED_RUN]);
  const spec = settledSpec(run.spec);
  return sumParts(rows, spec && dropsOf(spec.trajectory_filter));
}

/**
 * Rollouts of a trainer that asks ahead have no step before an update takes them. Where the trainer records what its updates
 * took, a run's end settles that the others train nothing.
 */
const PARTS = `
  SELECT r.status, termination, integrity_kinds, reward IS NOT NULL AS has_reward,
    (step IS NOT NULL OR asked_step IS NULL) AND (run.status <> ALL($3)
      OR NOT EXISTS (SELECT 1 FROM taken_rollout WHERE run_id = $1)
      OR EXISTS (SELECT 1 FROM taken_rollout t WHERE t.rollout_id = r.rollout_id AND NOT t.lost)) AS is_taken, untrained IS NOT NULL AS is_counted,
    part.reason, sum(part.tokens)::float8 AS tokens, sum(part.lossy)::float8 AS lossy
  FROM rollout r JOIN run ON run.id = r.run_id CROSS JOIN LATERAL (
    SELECT NULL AS reason, tokens_sampled AS tokens, COALESCE((untrained ->> 'lossy')::int, 0) AS lossy
    UNION ALL SELECT key, value::int, 0 FROM jsonb_each_text(untrained -> 'reasons')
  ) AS part
  WHERE r.run_id = $1 AND mode = 'train' AND r.status IN ('succeeded', 'failed', 'cancelled')
    AND ($2::int IS NULL OR step = $2)
    AND (step IS NOT NULL OR asked_step IS NULL OR reward IS NULL OR run.status = ANY($3))
  GROUP BY 1, 2, 3, 4, 5, 6, 7`;

/** Pure. */
export function sumParts(
  parts: readonly UntrainedPart[],
  dropped: Drops | null,
): UntrainedSum | null {
  const byReason = new Map<string, number>();
  let sampled = 0;
  let lossy = 0;
  let isKnown = false;
  for (const part of parts) {
    const whole = whyWhole(part, dropped);
    if (whole === null && !part.is_counted) continue;
    isKnown ||= part.tokens > 0 || part.is_counted;
    if (part.reason === null) {
      sampled += part.tokens;
      lossy += part.lossy;
    }
    // Of a rollout that is left out as a whole, its own reasons are covered.
    const reason = part.reason === null ? whole : whole === null ? part.reason : null;
    if (reason !== null) byReason.set(reason, (byReason.get(reason) ?? 0) + part.tokens);
  }
  if (!isKnown) return null;
  const reasons = [...byReason]
    .filter(([, tokens]) => tokens > 0)
    .map(([reason, tokens]) => ({ reason, tokens }))
    .sort((a, b) => b.tokens - a.tokens || a.reason.localeCompare(b.reason));
  return { sampled, reasons, lossy };
}

/** Why no token of a rollout trains; null where its segments decide. */
function whyWhole(part: UntrainedPart, dropped: Drops | null): string | null {
  const { termination, integrity_kinds: integrityKinds } = part;
  if (part.status === "cancelled") return "cancelled";
  if (!part.has_reward) return termination === "infra-error" ? termination : "no-reward";
  if (whyFiltered({ termination, integrityKinds }, dropped) !== null) return "filtered";
  return part.is_taken ? null : "not-taken";
}
