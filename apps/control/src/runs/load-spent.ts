import type { Money, RunSpent } from "@liverl/contract/cost";
import type { LaunchSpec } from "@liverl/contract/launch";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { loadPrices } from "#prices/load-prices.ts";
import { type ActiveTime, activeTime, type StatusMove } from "#runs/active-time.ts";

export interface Spent {
  active: ActiveTime;
  /** What the run of this spec has held its devices for; null where they are not known. */
  spentOn: (spec: LaunchSpec | null) => RunSpent | null;
}

/** How long each of these runs was at work, and what that came to, with one query for all. */
export async function loadSpent(
  ctx: Pick<Context, "db" | "pool">,
  rows: readonly Run[],
  nowMs: number,
): Promise<(run: Run) => Spent> {
  const [moves, priceOf] = await Promise.all([
    loadMoves(ctx, rows),
    loadPrices(
      ctx,
      rows.map(({ project }) => project),
    ),
  ]);
  return (run) => {
    const active = activeTime([...firstMoves(run), ...(moves.get(run.id) ?? [])]);
    const { seconds, since } = active;
    const atWorkS = seconds + (since === null ? 0 : Math.max(0, nowMs - since.getTime()) / 1000);
    return {
      active,
      spentOn: (spec) => {
        if (spec === null) return null;
        const held = devicesOf(spec);
        const deviceHours = (atWorkS * held.devices) / 3600;
        return { ...held, deviceHours, money: priceOf(run.project, held.device, deviceHours) };
      },
    };
  };
}

/** An attached run is followed from its first moment: no move of its status says so. */
const firstMoves = ({ driver, startedAt }: Run): StatusMove[] =>
  driver === "attached" && startedAt ? [{ at: startedAt, message: "running" }] : [];

async function loadMoves({ pool }: Pick<Context, "pool">, rows: readonly Run[]) {
  const found = await pool.query<StatusMove & { run_id: string }>(
    `SELECT run_id, at, message FROM run_event
     WHERE kind = 'status' AND isfinite(at) AND run_id = ANY($1::text[]) ORDER BY id`,
    [rows.map(({ id }) => id)],
  );
  const moves = new Map<string, StatusMove[]>();
  for (const { run_id, at, message } of found.rows)
    moves.set(run_id, [...(moves.get(run_id) ?? []), { at, message }]);
  return moves;
}

/** GPUs of all pools of a run of verl; the processes that compute of one on this machine. Pure. */
export function devicesOf(spec: LaunchSpec): Pick<RunSpent, "device" | "devices"> {
  if (spec.driver === "embedded") return { device: "cpu", devices: spec.rollout.engines + 1 };
  const { nnodes, n_gpus_per_node, rollout_nnodes, rollout_n_gpus_per_node } = spec.layout;
  return {
    device: "gpu",
    devices: nnodes * n_gpus_per_node + rollout_nnodes * rollout_n_gpus_per_node,
  };
}

export const scaled = (money: Money | null, by: number): Money | null =>
  money === null ? null : { ...money, amount: money.amount * by };
