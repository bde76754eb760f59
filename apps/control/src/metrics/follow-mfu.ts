import { COMPUTED_KEYS, METRIC_ALIASES } from "@liverl/contract/metric";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Context } from "#context.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import type { FoldedPoints } from "#live/live.ts";
import type { Points } from "#metrics/chunk-points.ts";
import { readPoints } from "#metrics/read-points.ts";

const [ACTOR] = METRIC_ALIASES["mfu/actor"];
const CRITIC = "perf/mfu/critic";
const STEP_S = "timing_s/step";
const UPDATES = [
  { mfu: ACTOR, seconds: "timing_s/update_actor" },
  { mfu: CRITIC, seconds: "timing_s/update_critic" },
] as const;
const KEYS = [ACTOR, CRITIC, STEP_S, ...UPDATES.map(({ seconds }) => seconds)];
const AT_ONCE = 2_000;

/** Adds end-to-end MFU to every run of verl whose trainer logs its own, also what was missed before; until `signal`. */
export async function followMfu(
  ctx: Pick<Context, "pool" | "ingest" | "live" | "log">,
  signal: AbortSignal,
): Promise<void> {
  let working = Promise.resolve();
  const complete = (runId: string) => {
    working = working.then(async () => {
      try {
        if (!signal.aborted) await completeMfu(ctx, runId);
      } catch (error) {
        ctx.log.warn({ err: error, runId }, "end-to-end MFU waits");
      }
    });
  };
  const hear = ({ runId, series }: FoldedPoints) => {
    if (series.has(ACTOR)) complete(runId);
  };
  ctx.live.on("points", hear);
  signal.addEventListener("abort", () => ctx.live.off("points", hear), { once: true });
  const { rows } = await ctx.pool.query<{ run_id: string }>(
    `SELECT a.run_id FROM series a LEFT JOIN series e ON e.run_id = a.run_id AND e.key = $2
     WHERE a.key = $1 AND a.last_step > coalesce(e.last_step, -1)`,
    [ACTOR, COMPUTED_KEYS.mfu],
  );
  for (const { run_id } of rows) complete(run_id);
}

/** Goes on behind the newest step that has it. */
async function completeMfu(ctx: Pick<Context, "pool" | "ingest">, runId: string): Promise<void> {
  const run = await ctx.pool.query<{ spec: unknown; last: number | null }>(
    `SELECT r.spec, (SELECT last_step FROM series WHERE run_id = r.id AND key = $2) AS last FROM run r WHERE r.id = $1`,
    [runId, COMPUTED_KEYS.mfu],
  );
  const spec = settledSpec(run.rows[0]?.spec);
  if (spec === null || spec.driver === "embedded") return;
  const from = Number(run.rows[0]?.last ?? -1) + 1;
  const columns = new Map<string, Points>();
  for (const key of KEYS)
    columns.set(key, await readPoints(ctx.pool, { runId, key, from, limit: AT_ONCE }));
  const share = trainerShare(spec);
  const steps = columns.get(ACTOR);
  const lines = (steps?.step ?? []).flatMap((step, at) => {
    const value = endToEndMfu((key) => valueAt(columns.get(key), step), share);
    if (value === null) return [];
    return [
      { step, wallMs: steps?.wallMs[at] ?? Date.now(), values: { [COMPUTED_KEYS.mfu]: value } },
    ];
  });
  if (lines.length > 0) await ctx.ingest.append(runId, lines);
}

/** Of all GPUs of the run, those that train. Pure. */
function trainerShare({ layout }: VerlSpec): number {
  const train = layout.nnodes * layout.n_gpus_per_node;
  return train / (train + layout.rollout_nnodes * layout.rollout_n_gpus_per_node);
}

/**
 * FLOPs of a step's updates over what all of the run's GPUs could have done in its wall time. verl's own MFU is that of the
 * update alone, on the trainer's GPUs; it is 0 where the GPU's peak or the model is unknown to verl, and so null here. Pure.
 */
export function endToEndMfu(
  read: (key: string) => number | null,
  trainerShare: number,
): number | null {
  const stepS = read(STEP_S);
  if (!stepS || !read(ACTOR)) return null;
  const busy = UPDATES.reduce(
    (sum, { mfu, seconds }) => sum + (read(mfu) ?? 0) * (read(seconds) ?? 0),
    0,
  );
  return busy > 0 ? (busy / stepS) * trainerShare : null;
}

function valueAt(points: Points | undefined, step: number): number | null {
  const at = points?.step.indexOf(step) ?? -1;
  return points?.value[at] ?? null;
}
