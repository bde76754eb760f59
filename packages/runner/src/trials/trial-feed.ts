import type { TrialChange, TrialFeed } from "@liverl/contract/rollout";
import type { Journal } from "@liverl/durable/journal";
import { JournalRecord } from "#trials/journal-record.ts";

const RECENT = 20_000;
const MARK_EVERY = 1_000;

/**
 * Every change of a trial since the first, in order of cursor. The newest are held in memory, older ones are read
 * from the journal.
 */
export class TrialFeedLog {
  readonly #journal: Journal;
  readonly #waiting = new Set<() => void>();
  /** Ascending cursors. */
  #recent: TrialChange[] = [];
  /** Every thousandth change: where its record lies in the journal. */
  readonly #marks: { cursor: number; seq: number }[] = [];
  #published = 0;
  #nextCursor = 1;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The cursor of a change that is about to be journaled. */
  mint(): number {
    return this.#nextCursor++;
  }

  /** Adds a durable change. */
  publish(change: TrialChange, seq: number): void {
    this.#nextCursor = Math.max(this.#nextCursor, change.cursor + 1);
    if (this.#published++ % MARK_EVERY === 0) this.#marks.push({ cursor: change.cursor, seq });
    this.#recent.push(change);
    if (this.#recent.length > RECENT * 2) this.#recent = this.#recent.slice(-RECENT);
    for (const wake of this.#waiting) wake();
  }

  /** Changes with `cursor > after`, oldest first; waits up to `waitMs` for one. */
  async read({
    after,
    limit,
    waitMs,
  }: {
    after: number;
    limit: number;
    waitMs: number;
  }): Promise<TrialFeed> {
    const newest = this.#recent.at(-1)?.cursor ?? 0;
    if (newest <= after && waitMs > 0) await this.#change(waitMs);
    const changes = await this.#slice(after, limit);
    return { changes, cursor: changes.at(-1)?.cursor ?? after };
  }

  #change(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, waitMs);
      this.#waiting.add(wake);
    });
  }

  async #slice(after: number, limit: number): Promise<TrialChange[]> {
    const oldest = this.#recent[0]?.cursor ?? 0;
    if (after + 1 >= oldest) {
      const from = firstAbove(this.#recent, after);
      return this.#recent.slice(from, from + limit);
    }
    const changes: TrialChange[] = [];
    const mark = this.#marks.findLast((known) => known.cursor <= after + 1);
    for await (const { record } of this.#journal.replay(mark?.seq ?? 1)) {
      const change = changeOf(record);
      if (!change || change.cursor <= after) continue;
      changes.push(change);
      if (changes.length >= limit) break;
    }
    return changes;
  }
}

/** Index of the first change with a cursor above; cursors ascend. */
function firstAbove(changes: readonly TrialChange[], cursor: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.cursor ?? 0) <= cursor) low = middle + 1;
    else high = middle;
  }
  return low;
}

function changeOf(record: unknown): TrialChange | null {
  const parsed = JournalRecord.parse(record);
  return parsed.kind === "accepted" || parsed.kind === "change" ? parsed.change : null;
}
