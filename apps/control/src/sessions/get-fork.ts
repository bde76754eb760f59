import { ForkDiff, type ForkSide, type ForkView } from "@liverl/contract/session-view";
import type { Context } from "#context.ts";
import { openRunTokenizer } from "#trajectories/open-run-tokenizer.ts";
import { tokenTexts } from "#trajectories/token-texts.ts";

/** Where a call left the older path that is most like it, with the texts of the tokens. */
export async function getFork(
  ctx: Pick<Context, "runner" | "config" | "db">,
  { sessionId, callId }: { sessionId: string; callId: number },
): Promise<ForkView> {
  const { runId, ...diff } = ForkDiff.parse(
    await ctx.runner.inspectSession(sessionId, `forks/${callId}`),
  );
  const tokenizer = runId === null ? null : await openRunTokenizer(ctx, runId);
  const shown = (ids: readonly number[]) => {
    const texts = tokenTexts(tokenizer, ids);
    return ids.map((id, i) => ({ id, text: texts[i] ?? "" }));
  };
  const side = ({ ids, ...rest }: ForkSide) => ({ ...rest, tokens: shown(ids) });
  return {
    ...diff,
    shared: shown(diff.shared),
    stored: diff.stored && side(diff.stored),
    asked: side(diff.asked),
  };
}
