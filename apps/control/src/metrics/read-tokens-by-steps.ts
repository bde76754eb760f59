import { TOKENS_KEY, type TokensBySteps } from "@liverl/contract/metric";
import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";

const PAGE = 20_000;
const FIRST_STEP = -(2 ** 31) + 1;
/** As many places as a wide chart has pixels; between them the axis is straight. */
const MOST = 2_000;

/** Tokens trained on up to each step, summed over what the trainer logged of every step; thinned evenly, the newest kept. */
export async function readTokensBySteps(
  ctx: Pick<Context, "db" | "ingest">,
  { runId }: { runId: string },
): Promise<TokensBySteps> {
  const step: number[] = [];
  const total: number[] = [];
  let sum = 0;
  for (let from = FIRST_STEP; ; ) {
    const page = await ctx.ingest.readPoints({ runId, key: TOKENS_KEY, from, limit: PAGE });
    for (const [i, at] of page.step.entries()) {
      sum += page.value[i] ?? 0;
      step.push(at);
      total.push(sum);
    }
    const last = page.step.at(-1);
    if (last === undefined || page.step.length < PAGE) break;
    from = last + 1;
  }
  if (step.length === 0) await getRunRow(ctx, runId);
  const every = Math.ceil(step.length / MOST);
  if (every <= 1) return { step, total };
  const isKept = (_: number, i: number) => i % every === 0 || i === step.length - 1;
  return { step: step.filter(isKept), total: total.filter(isKept) };
}
