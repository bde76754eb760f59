import { z } from "zod";
import { secondOf, type TimedLine } from "#kube/timed-lines.ts";

/** What of a pod's log is in the console file. The API has no byte offsets, only whole seconds. */
export const LogPlace = z.object({
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
export type LogPlace = z.infer<typeof LogPlace>;

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
  constructor(start: LogPlace, written: number) {
    this.#uid = start.uid;
    this.#since = start.since;
    this.#last = start.last;
    this.#skipped = start.last;
    this.#toSkip = start.seen;
    this.#position = start.size;
    this.#written = written;
  }

  get place(): LogPlace {
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

  /**
   * Two streams of one container may be a moment out of order: the newest second and the one before it are kept. Until
   * there are two, a line of the second before the first may still come.
   */
  #roll(): void {
    const seconds = [...this.#counts.keys()].sort();
    const oldest = seconds.at(-2);
    if (oldest === undefined) return;
    for (const second of seconds) if (second < oldest) this.#counts.delete(second);
    this.#since = oldest;
  }
}
