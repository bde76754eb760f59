import { CastEvent, CastHeader } from "@liverl/contract/recording";

export interface Cast {
  columns: number;
  events: CastEvent[];
  /** Of the last event, seconds. */
  durationS: number;
}

/** Where a recording does not say. */
const COLUMNS = 120;

/** A recording as far as it is written: a line that is cut, or is none of a recording, is left out. Pure. */
export function parseCast(text: string): Cast {
  const [first = "", ...rest] = text.split("\n");
  const header = CastHeader.safeParse(parse(first)).data;
  const events: CastEvent[] = [];
  for (const line of rest) {
    const event = CastEvent.safeParse(parse(line)).data;
    if (event) events.push(event);
  }
  return { columns: header?.width ?? COLUMNS, events, durationS: events.at(-1)?.[0] ?? 0 };
}

/** What is shown `from` (left out) to `to` (with it), seconds. Pure. */
export function outputBetween({ events }: Cast, from: number, to: number): string {
  return events
    .filter(([at, code]) => code === "o" && at > from && at <= to)
    .map(([, , text]) => text)
    .join("");
}

/** The next moment at which something is shown, and null after the last. Pure. */
export function nextOutputAt({ events }: Cast, after: number): number | null {
  return events.find(([at, code]) => code === "o" && at > after)?.[0] ?? null;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
