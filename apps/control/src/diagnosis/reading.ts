import type { Incident } from "#diagnosis/cause-rule.ts";

/** Where the reading of one process stands. */
export type Reading = {
  state: "frames" | "message" | "idle";
  frames: string[];
  isOurs: boolean;
  offset: number;
  skipped: number;
  isPassed: boolean;
  /** Where a warning announced what follows. */
  warnedAt: number | null;
  remotePid: string | null;
  last: Held | null;
  messageLines: number;
  link: { incident: Incident; isDirect: boolean } | null;
};

/** `isPassed`: caught, or survived. `isBare`: without frames. */
export type Held = Incident & { isPassed: boolean; isBare: boolean };

export function newReading(): Reading {
  return {
    ...{ state: "idle", frames: [], isOurs: false, offset: 0, skipped: 0 },
    ...{
      isPassed: false,
      warnedAt: null,
      remotePid: null,
      last: null,
      messageLines: 0,
      link: null,
    },
  };
}

/** A copy: a part of a string keeps the whole of it, here a piece of the file, in memory. */
export const own = (text: string) => Buffer.from(text).toString();
