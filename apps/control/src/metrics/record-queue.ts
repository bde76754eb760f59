import type { Journal, JournalEntry } from "@liverl/durable/journal";
import { countPoints, IngestRecord, type NumberedRecord } from "#metrics/ingest-record.ts";

/** Records and points of one fold: enough to be quick after an absence, few enough that requests need not wait for it long. */
const FOLD_RECORDS = 256;
const FOLD_POINTS = 60_000;
/** Unfolded records beyond this are read from the journal again instead of being held in memory. */
const PENDING_RECORDS = 1_000;
const PENDING_POINTS = 500_000;

/** Records that are durable and not folded yet: the newest in memory, or all of them in the journal where those are too many. */
export class RecordQueue {
  readonly #journal: Journal;
  readonly #seqBase: number;
  #pending: NumberedRecord[] = [];
  #pendingPoints = 0;
  #isReplaying: boolean;
  /** Goes on from batch to batch: to begin again is to read a whole segment. */
  #replay: AsyncGenerator<JournalEntry> | null = null;

  constructor(journal: Journal, seqBase: number, foldedSeq: number) {
    this.#journal = journal;
    this.#seqBase = seqBase;
    this.#isReplaying = journal.lastSeq + seqBase > foldedSeq;
  }

  /** A record that is durable now. */
  push(numbered: NumberedRecord): void {
    const isFull = this.#pending.length >= PENDING_RECORDS || this.#pendingPoints >= PENDING_POINTS;
    if (this.#isReplaying || isFull) {
      this.#isReplaying = true;
      return;
    }
    this.#pending.push(numbered);
    this.#pendingPoints += countPoints(numbered.record);
  }

  /** The oldest records after `foldedSeq`, as many as one fold takes; none when all are folded. */
  async next(foldedSeq: number): Promise<NumberedRecord[]> {
    if (!this.#isReplaying) return this.#firstPending();
    this.#forget();
    this.#replay ??= this.#journal.replay(foldedSeq - this.#seqBase + 1);
    const batch: NumberedRecord[] = [];
    for (let points = 0; batch.length < FOLD_RECORDS && points < FOLD_POINTS; ) {
      const { done, value } = await this.#replay.next();
      if (done) {
        this.#replay = null;
        // What was appended since the replay began is not in it: it begins again for those.
        const last = batch.at(-1)?.seq ?? foldedSeq;
        this.#isReplaying = last < this.#journal.lastSeq + this.#seqBase;
        return batch.length === 0 && this.#isReplaying ? this.next(foldedSeq) : batch;
      }
      const record = IngestRecord.parse(value.record);
      batch.push({ seq: value.seq + this.#seqBase, record });
      points += countPoints(record);
    }
    return batch;
  }

  /** All up to `foldedSeq` is folded. */
  folded(foldedSeq: number): void {
    while ((this.#pending[0]?.seq ?? Number.POSITIVE_INFINITY) <= foldedSeq)
      this.#pendingPoints -= countPoints(this.#pending.shift()?.record);
  }

  /** Something went wrong meanwhile: the next batch is read from the journal, from what is folded on. */
  restart(): void {
    this.#isReplaying = true;
    this.#replay = null;
  }

  #forget(): void {
    this.#pending = [];
    this.#pendingPoints = 0;
  }

  #firstPending(): NumberedRecord[] {
    let points = 0;
    let count = 0;
    for (const { record } of this.#pending) {
      if (count === FOLD_RECORDS || points >= FOLD_POINTS) break;
      points += countPoints(record);
      count++;
    }
    return this.#pending.slice(0, count);
  }
}
