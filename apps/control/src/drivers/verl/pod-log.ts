import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { z } from "zod";
import { LogReplay } from "#drivers/verl/log-replay.ts";
import type { KubePlace } from "#kube/load-kube.ts";
import { streamPodLog } from "#kube/stream-pod-log.ts";
import { secondOf, type TimedLine, TimedLines } from "#kube/timed-lines.ts";

const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 15_000;
const KEEP_EVERY_MS = 1_000;
/** How long the rest of an ended job's log is asked for: without it the run ends with what is here. */
const REST_MS = 60_000;

/** A container whose log is read, and whether it has ended. */
export interface LoggedPod {
  uid: string;
  name: string;
  container: string;
  hasEnded: boolean;
}

/** What of a pod's log is in the console file. The API has no byte offsets, only whole seconds. */
const Place = z.object({
  uid: z.string(),
  /** Null: from its start. */
  since: z.string().nullable(),
  /** Lines printed since then that were read. */
  seen: z.number(),
  /** The latest time of them. */
  last: z.string(),
  /** Bytes of the console file that end with the last of them. */
  size: z.number(),
});
type Place = z.infer<typeof Place>;

export interface PodLogParts {
  place: KubePlace;
  /** The run's console file. */
  path: string;
  record: string;
  /** The pods that printed the job's log, oldest first. */
  findPods: () => Promise<LoggedPod[]>;
  /** Lines were lost: the node had thrown them away before they were read. */
  onGap: () => Promise<void>;
}

/**
 * The submitter's log on its way into the run's console file, each byte once, over broken connections and lives of
 * control. One connection at a time writes.
 */
export class PodLog {
  readonly #parts: PodLogParts;
  #pulling: Promise<boolean> | null = null;
  #isComplete = false;
  readonly #cutting = new AbortController();

  constructor(parts: PodLogParts) {
    this.#parts = parts;
  }

  /** Keeps the file up with the log until `signal`. */
  async follow(signal: AbortSignal, onBreak: (error: unknown) => void): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted && !this.#isComplete) {
      try {
        await this.#pull(signal);
        waitMs = FIRST_WAIT_MS * 2;
      } catch (error) {
        onBreak(error);
        waitMs = Math.min(waitMs * 2, MOST_WAIT_MS);
      }
      await sleep(waitMs * (0.8 + 0.4 * Math.random()), undefined, { signal }).catch(
        () => undefined,
      );
    }
  }

  /** Once the job has ended: resolves when the whole log is here, or when it can not be had any more. */
  async complete(): Promise<void> {
    const signal = AbortSignal.timeout(REST_MS);
    const cut = () => this.#cutting.abort();
    signal.addEventListener("abort", cut, { once: true });
    for (let tries = 0; !this.#isComplete && !signal.aborted && tries < 5; tries++) {
      try {
        await this.#pulling?.catch(() => undefined);
        this.#isComplete = await this.#pull(signal);
      } catch (error) {
        if (error instanceof AppError && error.code === "NOT_FOUND") this.#isComplete = true;
      }
      if (!this.#isComplete)
        await sleep(FIRST_WAIT_MS * 2 ** tries, undefined, { signal }).catch(() => undefined);
    }
    signal.removeEventListener("abort", cut);
    this.#isComplete = true;
  }

  async #pull(until: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([until, this.#cutting.signal]);
    while (this.#pulling !== null) await this.#pulling.catch(() => undefined);
    this.#pulling = this.#pullAll(signal);
    try {
      return await this.#pulling;
    } finally {
      this.#pulling = null;
    }
  }

  /** Whether every pod has ended and is read to its end. */
  async #pullAll(signal: AbortSignal): Promise<boolean> {
    const pods = await this.#parts.findPods();
    const known = await readJson(this.#parts.record, Place);
    // Those before the one that was read last are done with.
    const from = Math.max(
      0,
      pods.findIndex(({ uid }) => uid === known?.uid),
    );
    for (const pod of pods.slice(from)) {
      if (signal.aborted) return false;
      await this.#pullPod(pod, signal);
    }
    const now = await this.#parts.findPods();
    return !signal.aborted && now.length === pods.length && now.every((pod) => pod.hasEnded);
  }

  async #pullPod(pod: LoggedPod, signal: AbortSignal): Promise<void> {
    const { place, path, record, onGap } = this.#parts;
    const file = await open(path, "a+");
    try {
      const written = (await file.stat()).size;
      const known = await readJson(record, Place);
      const isSame = known?.uid === pod.uid;
      const start: Place = isSame
        ? known
        : { uid: pod.uid, since: null, seen: 0, last: "", size: written };
      const replay = known && !isSame ? await LogReplay.after(file, written) : null;
      // A crash between here and the first line must not make it another pod's.
      if (!replay) await writeFileAtomic(record, JSON.stringify(start));
      const reader = new PlacedReader(start, written);
      let keptAt = performance.now();
      const take = async (line: TimedLine) => {
        const lines = replay ? replay.take(line) : [line];
        for (const each of lines) {
          const fresh = reader.take(each);
          if (fresh.length > 0) await file.appendFile(fresh);
        }
        if (replay?.isOver === false || performance.now() - keptAt < KEEP_EVERY_MS) return;
        keptAt = performance.now();
        await writeFileAtomic(record, JSON.stringify(reader.place));
      };
      const cutter = new TimedLines();
      const stream = streamPodLog(
        place,
        { pod: pod.name, container: pod.container, sinceTime: start.since },
        signal,
      );
      try {
        for await (const chunk of stream) for (const line of cutter.push(chunk)) await take(line);
        if (signal.aborted) return;
        // The server ends the stream with the container; a line without an end is whole only then.
        const rest = pod.hasEnded || (await this.#hasEnded(pod)) ? cutter.rest() : null;
        if (rest) await take(rest);
        for (const line of replay?.giveUp() ?? []) {
          const fresh = reader.take(line);
          if (fresh.length > 0) await file.appendFile(fresh);
        }
      } finally {
        await file.sync();
        if (replay?.isOver !== false) await writeFileAtomic(record, JSON.stringify(reader.place));
        if (reader.hasGap) await onGap();
      }
    } finally {
      await file.close();
    }
  }

  async #hasEnded({ uid }: LoggedPod): Promise<boolean> {
    const pods = await this.#parts.findPods();
    return pods.some((pod) => pod.uid === uid && pod.hasEnded);
  }
}

/** Tells what of a stream is not in the file yet, and where to go on another time. Pure but for its own state. */
export class PlacedReader {
  readonly #uid: string;
  #since: string | null;
  /** Lines read of each second that is not before `since`. */
  readonly #counts = new Map<string, number>();
  #last: string;
  #toSkip: number;
  readonly #skipped: string;
  #position: number;
  readonly #written: number;
  hasGap = false;

  /** `written`: bytes that the file has, of which those behind the place's own stand there although no place says so. */
  constructor(start: Place, written: number) {
    this.#uid = start.uid;
    this.#since = start.since;
    this.#last = start.last;
    this.#skipped = start.last;
    this.#toSkip = start.seen;
    this.#position = start.size;
    this.#written = written;
  }

  get place(): Place {
    let seen = this.#toSkip;
    for (const count of this.#counts.values()) seen += count;
    return {
      ...{ uid: this.#uid, since: this.#since, seen },
      ...{ last: this.#last, size: this.#position },
    };
  }

  /** The bytes to append. */
  take({ stamp, content }: TimedLine): Buffer {
    // The rest of a line that began before `since`: it was read whole.
    if (stamp === null && this.#since !== null && this.#counts.size === 0) return Buffer.alloc(0);
    this.#count(stamp ?? this.#last);
    if (this.#toSkip > 0) {
      if (stamp === null || stamp <= this.#skipped) {
        this.#toSkip -= 1;
        return Buffer.alloc(0);
      }
      // Lines that were read are no longer there, so that some behind them may be gone, too.
      this.#toSkip = 0;
      this.hasGap = true;
    }
    const before = this.#position;
    this.#position += content.length;
    this.#roll();
    return content.subarray(Math.min(content.length, Math.max(0, this.#written - before)));
  }

  #count(stamp: string): void {
    const second = secondOf(stamp);
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + 1);
    if (stamp > this.#last) this.#last = stamp;
  }

  /** Two streams of one container may be a moment out of order: the newest second and the one before it are kept. */
  #roll(): void {
    const seconds = [...this.#counts.keys()].sort();
    const oldest = seconds.at(-2) ?? seconds[0];
    if (oldest === undefined) return;
    for (const second of seconds) if (second < oldest) this.#counts.delete(second);
    this.#since = oldest;
  }
}
