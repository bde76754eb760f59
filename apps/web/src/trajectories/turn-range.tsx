import { MOST_TURN_TOKENS, type TurnOutline } from "@liverl/contract/turn-view";
import styles from "#trajectories/trajectories.module.css";
import { formatCount } from "#ui/format-number.ts";

export type Part = "text" | "tokens";
/** What of a turn is mounted: little until one asks for more, and never more than a page of it. */
const CLOSED = { tokens: 384, text: 2_400 } as const;
const OPEN = { tokens: MOST_TURN_TOKENS, text: 12_000 } as const;
/** Lines of a text that is not opened. */
export const CLOSED_LINES = 24;
/** Shown before what is sought. */
const LEAD = 48;

export interface TurnRange {
  from: number;
  isOpen: boolean;
}
export const CLOSED_RANGE: TurnRange = { from: 0, isOpen: false };
export const OPEN_RANGE: TurnRange = { from: 0, isOpen: true };

export const sizeOf = ({ isOpen }: TurnRange, part: Part) => (isOpen ? OPEN : CLOSED)[part];

const totalOf = (turn: TurnOutline, part: Part) =>
  part === "tokens" ? turn.tokens : turn.characters;

/** The range that shows a place of the turn. */
export function rangeAround(place: number, part: Part): TurnRange {
  return place < CLOSED[part] && part === "tokens"
    ? CLOSED_RANGE
    : { from: Math.max(0, place - LEAD), isOpen: true };
}

/** Whether some of the turn is not shown. */
function isCut(turn: TurnOutline, part: Part): boolean {
  return totalOf(turn, part) > CLOSED[part] || (part === "text" && turn.lines > CLOSED_LINES);
}

/** Below a long turn: opens it, and pages through one that is longer than a page. `calls`: those that are shown where there are more. */
export function RangeBar({
  turn,
  part,
  range,
  calls,
  onRange,
}: {
  turn: TurnOutline;
  part: Part;
  range: TurnRange;
  calls: number | null;
  onRange: (range: TurnRange) => void;
}) {
  // A turn that was opened can be closed again.
  if (!range.isOpen && calls === null && !isCut(turn, part)) return null;
  const total = totalOf(turn, part);
  const unit = part === "tokens" ? "tokens" : "characters";
  if (!range.isOpen)
    return (
      <p className={styles.range}>
        <button
          type="button"
          className="lnk"
          onClick={() => onRange({ from: range.from, isOpen: true })}
        >
          Show more
        </button>
        <span>
          {calls !== null && `the first ${calls} calls · `}
          {formatCount(total)} {unit} in all
        </span>
      </p>
    );
  const size = OPEN[part];
  const move = (by: 1 | -1) =>
    onRange({ from: Math.max(0, Math.min(total - 1, range.from + by * size)), isOpen: true });
  return (
    <p className={styles.range}>
      <button type="button" className="lnk" onClick={() => onRange(CLOSED_RANGE)}>
        Show less
      </button>
      {range.from > 0 && (
        <button type="button" className="lnk" onClick={() => move(-1)}>
          Earlier
        </button>
      )}
      <span>
        {unit} {formatCount(range.from + 1)}–{formatCount(Math.min(total, range.from + size))} of{" "}
        {formatCount(total)}
      </span>
      {range.from + size < total && (
        <button type="button" className="lnk" onClick={() => move(1)}>
          Later
        </button>
      )}
    </p>
  );
}

/** Height of a turn that is not measured yet, CSS pixels. */
export function estimateHeight(turn: TurnOutline): number {
  const characters = Math.min(turn.kind === "sampled" ? turn.tokens * 4 : turn.characters, 2_400);
  const lines = Math.max(Math.min(turn.lines, CLOSED_LINES), characters / 80);
  return 56 + Math.min(lines, 34) * 20;
}
