import type { ExportMetrics } from "@liverl/contract/metric";
import type { Context } from "#context.ts";

/** Points of one key, by step; lists of equal length, never empty. NaN and ±Infinity are themselves. */
export interface ExportedPoints {
  key: string;
  step: number[];
  wallMs: number[];
  value: number[];
}

const PAGE = 50_000;
const LIMITS = [-(2 ** 31) + 1, 2 ** 31 - 1] as const;
const VALUE_OF_FLAG = [0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** Every point of the asked keys in the asked steps, key by key in the order asked, in pages: never a run's points at once. */
export async function* readExported(
  ctx: Pick<Context, "db" | "ingest">,
  runId: string,
  { keys, range }: Pick<ExportMetrics, "keys" | "range">,
): AsyncGenerator<ExportedPoints> {
  const names = keys ?? (await keysOfRun(ctx, runId));
  const [first, last] = range ?? LIMITS;
  for (const key of new Set(names)) {
    for (let from = first; from <= last; ) {
      const page = await ctx.ingest.readPoints({ runId, key, from, limit: PAGE });
      const beyond = page.step.findIndex((step) => step > last);
      const n = beyond === -1 ? page.step.length : beyond;
      if (n > 0)
        yield {
          key,
          step: page.step.slice(0, n),
          wallMs: page.wallMs.slice(0, n),
          value: page.value
            .slice(0, n)
            .map((value, i) => value ?? VALUE_OF_FLAG[page.flag[i] ?? 1] ?? Number.NaN),
        };
      const end = page.step.at(-1);
      if (end === undefined || beyond !== -1 || page.step.length < PAGE) break;
      from = end + 1;
    }
  }
}

async function keysOfRun(ctx: Pick<Context, "db">, runId: string): Promise<string[]> {
  const rows = await ctx.db.series.findMany({
    where: { runId },
    select: { key: true },
    orderBy: { key: "asc" },
  });
  return rows.map(({ key }) => key);
}
