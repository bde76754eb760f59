import { EventEmitter } from "node:events";
import type { RunEvent } from "@liverl/contract/run";
import type { z } from "zod";

/** Points of one run that one fold made visible; columnar, by key. */
export interface FoldedPoints {
  runId: string;
  /** Highest journal number among them. */
  seq: number;
  series: ReadonlyMap<string, PointColumns>;
}
export interface PointColumns {
  step: number[];
  value: (number | null)[];
  flag: number[];
  wallMs: number[];
  seq: number[];
}

interface LiveEvents {
  /** Anything of the run's summary may have changed. */
  run: [runId: string];
  event: [runId: string, event: z.infer<typeof RunEvent>];
  eventGone: [runId: string, eventId: number];
  points: [points: FoldedPoints];
  /** Something is to be sent. */
  delivery: [];
}

/** What happens inside control, for streams to listen to. Nothing is kept here: streams read their backlog from the database. */
export class Live extends EventEmitter<LiveEvents> {
  constructor() {
    super();
    // One listener a subscription; a browser tab has several.
    this.setMaxListeners(0);
  }
}
