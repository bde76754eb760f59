import { setTimeout as sleep } from "node:timers/promises";
import type { MetricFrame, WatchMetrics } from "@liverl/contract/metric";
import { type TrackedEnvelope, tracked } from "@trpc/server";
import type { Context } from "#context.ts";
import { untilDatabaseIsBack } from "#database/until-database-is-back.ts";
import type { FoldedPoints, PointColumns } from "#live/live.ts";

/** At most five frames a second; the first after a pause leaves at once. */
const FRAME_GAP_MS = 200;

/**
 * Frames of a run's points after the cursor, each point once. The listener is attached before the backlog is read,
 * and what the backlog had is skipped, so nothing falls between the two.
 */
export async function* watchMetrics(
  ctx: Pick<Context, "live" | "ingest">,
  input: WatchMetrics,
  signal: AbortSignal | undefined,
): AsyncGenerator<TrackedEnvelope<MetricFrame>, void, void> {
  let cursor = Math.max(parseCursor(input.cursor), parseCursor(input.lastEventId ?? "0"));
  let waiting: FoldedPoints[] = [];
  let wake = () => {};
  const listen = (points: FoldedPoints) => {
    if (points.runId !== input.runId) return;
    waiting.push(points);
    wake();
  };
  const onAbort = () => wake();
  ctx.live.on("points", listen);
  signal?.addEventListener("abort", onAbort);
  try {
    const backlog = await untilDatabaseIsBack(
      () => ctx.ingest.readBacklog(input.runId, cursor),
      signal,
    );
    if (!backlog) return;
    if (backlog.series.size > 0) {
      cursor = Math.max(cursor, backlog.cursor);
      yield tracked(String(cursor), frameOf(cursor, backlog.series));
    }
    let quietUntil = 0;
    while (!signal?.aborted) {
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (signal?.aborted) resolve();
        });
        continue;
      }
      const pause = quietUntil - Date.now();
      if (pause > 0) await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal?.aborted) return;
      const fresh = waiting.filter((points) => points.seq > Math.max(cursor, backlog.cursor));
      waiting = [];
      const last = fresh.at(-1);
      if (!last) continue;
      cursor = last.seq;
      quietUntil = Date.now() + FRAME_GAP_MS;
      yield tracked(String(cursor), frameOf(cursor, unite(fresh)));
    }
  } finally {
    ctx.live.off("points", listen);
    signal?.removeEventListener("abort", onAbort);
  }
}

function parseCursor(text: string): number {
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** Points of several folds as one; a later value of a step replaces the earlier. */
function unite(folds: readonly FoldedPoints[]): ReadonlyMap<string, PointColumns> {
  const [only] = folds;
  if (folds.length === 1 && only) return only.series;
  const byKey = new Map<
    string,
    Map<number, { value: number | null; flag: number; wallMs: number; seq: number }>
  >();
  for (const { series } of folds) {
    for (const [key, columns] of series) {
      const steps = byKey.get(key) ?? new Map();
      byKey.set(key, steps);
      for (const [i, step] of columns.step.entries()) {
        steps.set(step, {
          value: columns.value[i] ?? null,
          flag: columns.flag[i] ?? 0,
          wallMs: columns.wallMs[i] ?? 0,
          seq: columns.seq[i] ?? 0,
        });
      }
    }
  }
  return new Map(
    [...byKey].map(([key, steps]) => {
      const sorted = [...steps].sort(([a], [b]) => a - b);
      return [
        key,
        {
          step: sorted.map(([step]) => step),
          value: sorted.map(([, point]) => point.value),
          flag: sorted.map(([, point]) => point.flag),
          wallMs: sorted.map(([, point]) => point.wallMs),
          seq: sorted.map(([, point]) => point.seq),
        },
      ];
    }),
  );
}

function frameOf(cursor: number, series: ReadonlyMap<string, PointColumns>): MetricFrame {
  return {
    cursor: String(cursor),
    series: Object.fromEntries(
      [...series].map(([key, { step, value, flag, wallMs }]) => [
        key,
        { step, value, flag, wallMs },
      ]),
    ),
  };
}
