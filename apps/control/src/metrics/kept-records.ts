/** Folded records that stay in the journal, for a database that was set back to a copy. */
const MOST_RECORDS = 10_000;
/** And points of them: about 250 MB of journal. */
const MOST_POINTS = 5_000_000;

/** How far back the journal is kept: so many records, or so many points, whichever are fewer. */
export class KeptRecords {
  #points = 0;
  readonly #large: { seq: number; points: number }[] = [];

  add(seq: number, points: number): void {
    this.#points += points;
    this.#large.push({ seq, points });
    while (this.#points > MOST_POINTS || this.#large.length > MOST_RECORDS)
      this.#points -= this.#large.shift()?.points ?? 0;
  }

  /** The first record to keep, once all up to `foldedSeq` is folded. What is not folded stays, however much it is. */
  oldest(foldedSeq: number): number {
    const [first] = this.#large;
    const byPoints = first === undefined ? 0 : first.seq;
    return Math.min(foldedSeq, Math.max(foldedSeq - MOST_RECORDS, byPoints));
  }
}
