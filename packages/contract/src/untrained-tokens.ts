import { z } from "zod";

const Tokens = z.number().int().nonnegative();

/** Tokens of one session that no segment trains. */
export const UntrainedTokens = z.object({
  /** Sampled tokens by the reason, such as `subagent`. Each token counts once. */
  reasons: z.record(z.string(), Tokens),
  /** Tokens of lossy turns that do not train. They stand in prompts, so they are no part of the sampled tokens. */
  lossy: Tokens,
});
export type UntrainedTokens = z.infer<typeof UntrainedTokens>;

/** The sum over the ended training rollouts of a step or a run whose counts are known. */
export const UntrainedSum = z.object({
  sampled: Tokens,
  /** Most tokens first. */
  reasons: z.array(z.object({ reason: z.string(), tokens: Tokens })),
  lossy: Tokens,
});
export type UntrainedSum = z.infer<typeof UntrainedSum>;

export const untrainedTotal = ({ reasons }: Pick<UntrainedSum, "reasons">): number =>
  reasons.reduce((sum, { tokens }) => sum + tokens, 0);

/** `subagent 3 %, side-request 1 %`; empty where every sampled token trains. */
export const describeReasons = ({ sampled, reasons }: UntrainedSum): string =>
  reasons.map(({ reason, tokens }) => `${reason} ${percentOf(tokens, sampled)}`).join(", ");

/** `4 % of sampled tokens did not train: subagent 3 %, side-request 1 %.` Null where it is not known and where all trained. */
export function describeUntrained(sum: UntrainedSum | null): string | null {
  if (sum === null) return null;
  const total = untrainedTotal(sum);
  const sentences = [
    ...(total > 0
      ? [
          `${percentOf(total, sum.sampled)} of sampled tokens did not train: ${describeReasons(sum)}.`,
        ]
      : []),
    ...(sum.lossy > 0
      ? [
          `Lossy turns, rewritten by the client, hold ${sum.lossy} more tokens that did not train${sum.sampled > 0 ? ` (${percentOf(sum.lossy, sum.sampled)} of the sampled)` : ""}.`,
        ]
      : []),
  ];
  return sentences.length > 0 ? sentences.join(" ") : null;
}

/** Neither 0 % nor 100 % unless it is exactly that. */
function percentOf(tokens: number, all: number): string {
  const percent = (tokens / all) * 100;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  if (percent > 99.9 && percent < 100) return ">99.9 %";
  return `${Number(percent.toFixed(percent < 10 || percent > 99 ? 1 : 0))} %`;
}
