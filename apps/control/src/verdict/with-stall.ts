import type { Advisory, Judgement } from "@liverl/contract/run";

/** A start that hangs is said before everything else: nothing else can be judged yet. Pure. */
export function withStall<T extends Judgement>(verdict: T, stall: Advisory | null): T {
  if (!stall) return verdict;
  return {
    ...verdict,
    word: "Stalled",
    sentence: `${stall.title}.`,
    performance: "bad",
    advisories: [stall, ...verdict.advisories.filter(({ tier }) => tier === "alarm")],
  };
}
