import type { MetricFrame, SeriesAnswer } from "@liverl/contract/metric";
import {
  at,
  columnsOfBuckets,
  createColumns,
  foldPoint,
  type SeriesColumns,
} from "#charts/series-columns.ts";

export type StepRange = readonly [number, number];
export type KeyStatus = "absent" | "loading" | "ready" | "error";
export type ReadSeriesOf = (keys: string[], range: StepRange | null) => Promise<SeriesAnswer>;

const KEYS_PER_READ = 64;
/** Reads travel in the address of a GET, which must stay below what servers take. */
const KEY_BYTES_PER_READ = 3_500;
const TELL_EVERY_MS = 200;

type Entry = {
  status: KeyStatus;
  /** Whether a read has answered; stays so while it is read again for another range. */
  isKnown: boolean;
  error: unknown;
  wanted: number;
  version: number;
  bucketSteps: number;
  columns: SeriesColumns;
  /** Frames that came while the first read was under way. */
  early: MetricFrame["series"][string][];
  listeners: Set<() => void>;
};

/**
 * Every series of one run that a page shows: read once, then extended by live frames, outside React.
 * Listeners hear of changes at most five times a second, and at once after a quiet time.
 */
export class MetricStore {
  readonly #read: ReadSeriesOf;
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new Set<string>();
  readonly #queue = new Set<string>();
  #isQueued = false;
  #range: StepRange | null = null;
  #cursor: string | null = null;
  #lastToldMs = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #extent: StepRange | null = null;
  #firstWallMs: number | null = null;
  #unknownKeys: () => void = () => {};
  /** Keys of frames that no read has named, and that were told of. */
  readonly #told = new Set<string>();
  readonly #cursorListeners = new Set<() => void>();

  constructor(read: ReadSeriesOf) {
    this.#read = read;
  }

  /** First and last step of all that is loaded; null before the first point. */
  get extent(): StepRange | null {
    return this.#extent;
  }

  /** Wall time of the earliest point that was read, milliseconds since 1970; null before the first. */
  get firstWallMs(): number | null {
    return this.#firstWallMs;
  }

  /** The loaded series with the most points: it knows when most steps were. */
  longest(): SeriesColumns | null {
    let best: SeriesColumns | null = null;
    for (const { isKnown, columns } of this.#entries.values())
      if (isKnown && columns.length > (best?.length ?? 0)) best = columns;
    return best;
  }

  /** Where the live stream has to start: the cursor of the first answer. */
  readonly cursor = {
    get: (): string | null => this.#cursor,
    subscribe: (listener: () => void): (() => void) => {
      this.#cursorListeners.add(listener);
      return () => this.#cursorListeners.delete(listener);
    },
  };

  /** Called when a frame carries a key for the first time that no read has named. */
  onUnknownKeys(listener: () => void): void {
    this.#unknownKeys = listener;
  }

  columns(key: string): SeriesColumns | null {
    const entry = this.#entries.get(key);
    return entry?.isKnown === true ? entry.columns : null;
  }

  status(key: string): KeyStatus {
    return this.#entries.get(key)?.status ?? "absent";
  }

  error(key: string): unknown {
    return this.#entries.get(key)?.error ?? null;
  }

  bucketSteps(key: string): number {
    return this.#entries.get(key)?.bucketSteps ?? 1;
  }

  /** Grows with every change of these series that listeners were told of. */
  version(keys: readonly string[]): number {
    let sum = 0;
    for (const key of keys) sum += this.#entries.get(key)?.version ?? 0;
    return sum;
  }

  /** Reads the series that were never asked for. */
  load(keys: readonly string[]): void {
    for (const key of keys) if (this.status(key) === "absent") this.#enqueue(key);
  }

  /** Loads the series if need be and tells of its changes, until the returned function is called. */
  watch(keys: readonly string[], listener: () => void): () => void {
    for (const key of keys) {
      const entry = this.#entry(key);
      entry.wanted += 1;
      entry.listeners.add(listener);
    }
    this.load(keys);
    return () => {
      for (const key of keys) {
        const entry = this.#entries.get(key);
        if (entry === undefined) continue;
        entry.wanted -= 1;
        entry.listeners.delete(listener);
      }
    };
  }

  /** Reads again what could not be read. */
  retry(keys: Iterable<string> = this.#entries.keys()): void {
    for (const key of keys) if (this.status(key) === "error") this.#enqueue(key);
  }

  /** A narrower range is read again only where buckets are wider than a step. */
  setRange(range: StepRange | null): void {
    if (range?.[0] === this.#range?.[0] && range?.[1] === this.#range?.[1]) return;
    const wasZoomed = this.#range !== null;
    this.#range = range;
    for (const [key, entry] of this.#entries) {
      if (entry.status !== "ready" || (entry.bucketSteps === 1 && !wasZoomed)) continue;
      if (entry.wanted > 0) this.#enqueue(key);
      else entry.status = "absent";
    }
  }

  apply(frame: MetricFrame): void {
    let hasUnknown = false;
    for (const [key, points] of Object.entries(frame.series)) {
      const entry = this.#entries.get(key);
      if (entry === undefined) {
        hasUnknown ||= !this.#told.has(key);
        this.#told.add(key);
      } else if (entry.status === "loading") entry.early.push(points);
      if (entry?.isKnown === true) this.#fold(key, entry, points);
    }
    if (hasUnknown) this.#unknownKeys();
    this.#tell();
  }

  #entry(key: string): Entry {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = {
        status: "absent",
        isKnown: false,
        error: null,
        wanted: 0,
        version: 0,
        bucketSteps: 1,
        columns: createColumns(),
        early: [],
        listeners: new Set(),
      };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #enqueue(key: string): void {
    this.#entry(key).status = "loading";
    this.#queue.add(key);
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      const keys = [...this.#queue];
      this.#queue.clear();
      for (const part of splitKeys(keys)) void this.#load(part);
    });
  }

  async #load(keys: string[]): Promise<void> {
    const range = this.#range;
    try {
      const answer = await this.#read(keys, range);
      // Where an answer is older than the stream's begin, the points between are in neither.
      const isOlder = this.#cursor !== null && Number(answer.cursor) < Number(this.#cursor);
      if (isOlder || range !== this.#range) {
        for (const key of keys) this.#enqueue(key);
        return;
      }
      for (const key of keys) this.#take(key, answer);
      if (this.#cursor === null) {
        this.#cursor = answer.cursor;
        for (const listener of this.#cursorListeners) listener();
      }
    } catch (error) {
      for (const key of keys) {
        const entry = this.#entry(key);
        entry.status = "error";
        entry.error = error;
        this.#changed.add(key);
      }
    }
    this.#tell();
  }

  #take(key: string, answer: SeriesAnswer): void {
    const entry = this.#entry(key);
    const found = answer.series.find((series) => series.key === key);
    entry.columns = found === undefined ? createColumns() : columnsOfBuckets(found);
    entry.bucketSteps = answer.bucketSteps;
    entry.status = "ready";
    entry.isKnown = true;
    entry.error = null;
    for (const points of entry.early) this.#fold(key, entry, points);
    entry.early = [];
    this.#widen(entry.columns);
    this.#changed.add(key);
  }

  #fold(key: string, entry: Entry, points: MetricFrame["series"][string]): void {
    points.step.forEach((step, index) => {
      foldPoint(entry.columns, entry.bucketSteps, {
        step,
        value: points.value[index] ?? null,
        flag: points.flag[index] ?? 0,
        wallMs: points.wallMs[index] ?? 0,
      });
    });
    this.#widen(entry.columns);
    this.#changed.add(key);
  }

  #widen(columns: SeriesColumns): void {
    if (columns.length === 0) return;
    const wallMs = at(columns.wallMs, 0);
    if (this.#firstWallMs === null || wallMs < this.#firstWallMs) this.#firstWallMs = wallMs;
    const first = at(columns.step, 0);
    const last = at(columns.step, columns.length - 1);
    const wide: StepRange =
      this.#extent === null
        ? [first, last]
        : [Math.min(first, this.#extent[0]), Math.max(last, this.#extent[1])];
    if (wide[0] === this.#extent?.[0] && wide[1] === this.#extent[1]) return;
    this.#extent = wide;
    // All panels share the x axis, so all have to be drawn again.
    for (const key of this.#entries.keys()) this.#changed.add(key);
  }

  #tell(): void {
    if (this.#timer !== null) return;
    const waitMs = Math.max(0, this.#lastToldMs + TELL_EVERY_MS - Date.now());
    if (waitMs === 0) this.#tellNow();
    else this.#timer = setTimeout(() => this.#tellNow(), waitMs);
  }

  #tellNow(): void {
    this.#timer = null;
    this.#lastToldMs = Date.now();
    const listeners = new Set<() => void>();
    for (const key of this.#changed) {
      const entry = this.#entries.get(key);
      if (entry === undefined) continue;
      entry.version += 1;
      for (const listener of entry.listeners) listeners.add(listener);
    }
    this.#changed.clear();
    for (const listener of listeners) listener();
  }
}

/** What panels ask of the series that they draw. */
export type SeriesStore = Pick<
  MetricStore,
  | "extent"
  | "firstWallMs"
  | "longest"
  | "columns"
  | "load"
  | "status"
  | "error"
  | "version"
  | "watch"
  | "setRange"
> & { retry(keys: Iterable<string>): void };

/** Keys in parts that each fit one read. */
export function splitKeys(keys: readonly string[]): string[][] {
  const parts: string[][] = [];
  let part: string[] = [];
  let bytes = 0;
  for (const key of keys) {
    const size = encodeURIComponent(JSON.stringify(key)).length + 3;
    if (part.length === KEYS_PER_READ || (part.length > 0 && bytes + size > KEY_BYTES_PER_READ)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(key);
    bytes += size;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
