import { withoutProcessPrefix } from "@liverl/contract/process-prefix";
import type { LogLine } from "@liverl/contract/views";
import { formatDuration } from "#ui/format-duration.ts";

/** Lines that a followed log keeps, unless more were asked for; older ones are read again when they are wanted. */
export const LINES_HELD = 20_000;

/** Lines in the order of the file, each offset once; of repeats the later wins. Beyond `limit` the oldest go. */
export function mergeLines(
  held: readonly LogLine[],
  added: readonly LogLine[],
  limit = Number.POSITIVE_INFINITY,
): LogLine[] {
  if (added.length === 0) return held as LogLine[];
  const lastHeld = held.at(-1);
  const firstAdded = added[0];
  const isAppend =
    lastHeld === undefined || (firstAdded !== undefined && firstAdded.offset > lastHeld.offset);
  const merged = isAppend
    ? [...held, ...added]
    : [...new Map([...held, ...added].map((line) => [line.offset, line])).values()].sort(
        (a, b) => a.offset - b.offset,
      );
  return merged.length <= limit ? merged : merged.slice(-limit);
}

export const LEVELS = ["trace", "debug", "info", "warn", "error"] as const;
export type MinLevel = (typeof LEVELS)[number];
const RANK: Record<LogLine["level"], number> = {
  trace: 0,
  debug: 1,
  info: 2,
  unknown: 2,
  warn: 3,
  error: 4,
  fatal: 5,
};

/** What stands further in goes on with the line before it: the code of a traceback, the rest of a long text. */
const GOES_ON = /^\s{2,}\S/;

/** Lines of at least a level; lines without one count as info, or as what they go on with. */
export function atLeast(lines: readonly LogLine[], level: MinLevel): readonly LogLine[] {
  if (level === "trace") return lines;
  let before: LogLine["level"] = "unknown";
  return lines.filter((line) => {
    if (line.level !== "unknown" || !GOES_ON.test(withoutProcessPrefix(line.text)))
      before = line.level;
    return RANK[before] >= RANK[level];
  });
}

/** A line so far from a moment still tells of it. */
const NEAR_MS = 5_000;

/** The line nearest to a moment, and how far after it (before it: negative) the line was written. */
export interface NearestLine {
  index: number;
  awayMs: number;
  isNear: boolean;
}

/** Of lines equally near the first; null when no line has a time. */
export function nearestLine(lines: readonly LogLine[], at: string): NearestLine | null {
  const wanted = Date.parse(at);
  if (Number.isNaN(wanted)) return null;
  let best: NearestLine | null = null;
  for (const [index, line] of lines.entries()) {
    if (line.at === null) continue;
    const awayMs = Date.parse(line.at) - wanted;
    if (best !== null && Math.abs(awayMs) >= Math.abs(best.awayMs)) continue;
    best = { index, awayMs, isNear: Math.abs(awayMs) <= NEAR_MS };
  }
  return best;
}

/** The line at a byte offset. */
export function lineAt(lines: readonly LogLine[], offset: number): NearestLine | null {
  const index = lines.findIndex((line) => line.offset === offset);
  return index === -1 ? null : { index, awayMs: 0, isNear: true };
}

/** What to say where no line tells of the moment that a link leads to; null where one does. `mayBeOlder`: lines of that time are not read yet. */
export function sayNoLine(nearest: NearestLine | null, mayBeOlder: boolean): string | null {
  if (nearest === null) return "No line here has a time.";
  if (nearest.isNear) return null;
  const { awayMs } = nearest;
  return `No line within ${NEAR_MS / 1000} s of this moment: the nearest${mayBeOlder ? " of those read" : ""} was written ${formatDuration(Math.abs(awayMs) / 1000)} ${awayMs < 0 ? "before" : "after"} it.`;
}

/** Whether a moment lies before the first line that has a time, so that older lines must be read to show it. */
export function isBefore(lines: readonly LogLine[], at: string): boolean {
  const first = lines.find((line) => line.at !== null)?.at;
  return first != null && Date.parse(at) < Date.parse(first);
}
