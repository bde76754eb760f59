import type { TurnView } from "@liverl/contract/turn-view";
import { findLossy } from "#trajectories/find-lossy.ts";
import { type Known, type Lens, tintOf } from "#trajectories/prepare-lens.ts";

/** Neighbouring tokens that look alike: one element of the page. */
interface Run {
  /** Of the node's tokens. */
  index: number;
  text: string;
  tint: string;
  isChosen: boolean;
  isHit: boolean;
  isLossy: boolean;
  /** The loss cut its gradient: of the lens of ratios. */
  isClipped: boolean;
  /** The version that went on here in another's place; null elsewhere. */
  resumedBy: number | null;
}

/** Tokens `from` to `to` of a range in runs that look alike, so that a page of text needs few elements. `chosen` is the node's index. */
export function prepareRuns(
  turn: TurnView,
  { from, to }: { from: number; to: number },
  look: Known & { lens: Lens; chosen: number | null; hits: ReadonlySet<number> },
): Run[] {
  const runs: Run[] = [];
  for (let at = from; at < to; at += 1) {
    const next: Run = {
      index: turn.from + at,
      text: turn.tokens.text[at] ?? "",
      tint: tintOf(look.lens, turn, at, look),
      isChosen: turn.from + at === look.chosen,
      isHit: look.hits.has(at),
      isLossy: findLossy(turn, turn.from + at) !== null,
      isClipped: look.lens === "ratio" && look.trained?.clipped[at] === true,
      resumedBy: resumedBy(turn, at),
    };
    const last = runs.at(-1);
    if (last && isAlike(last, next)) last.text += next.text;
    else runs.push(next);
  }
  return runs;
}

function isAlike(last: Run, next: Run): boolean {
  return (
    next.resumedBy === null &&
    !next.isChosen &&
    !last.isChosen &&
    last.tint === next.tint &&
    last.isHit === next.isHit &&
    last.isLossy === next.isLossy &&
    last.isClipped === next.isClipped
  );
}

function resumedBy({ tokens: { versions } }: TurnView, at: number): number | null {
  const version = versions?.[at] ?? null;
  const before = at > 0 ? (versions?.[at - 1] ?? null) : null;
  return version !== null && before !== null && version !== before ? version : null;
}
