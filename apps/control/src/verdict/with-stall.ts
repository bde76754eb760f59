import type { Advisory, Verdict } from "@liverl/contract/run";

/** A start that hangs is said before everything else: nothing else can be judged yet. Pure. */
export function withStall(verdict: Verdict, stall: Advisory | null): Verdict {
  if (!stall) return verdict;
  return {
    ...verdict,
    word: "Stalled",
    sentence: `${stall.title}.`,
    performance: "bad",
    advisories: [stall, ...verdict.advisories.filter(({ tier }) => tier === "alarm")],
  };
}
