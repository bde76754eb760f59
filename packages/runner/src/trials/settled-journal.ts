import type { Journal } from "@liverl/durable/journal";

/**
 * The journal with appends that resolve one turn of the event loop later. A batch of the journal ends in the turn
 * in which its appends resolve, and an append made in that same turn would join a batch that is already over and
 * wait for the next one to wake it.
 */
export function settledJournal(journal: Journal): Journal {
  return {
    append: async (record) => {
      const done = await journal.append(record);
      await new Promise(setImmediate);
      return done;
    },
    replay: (fromSeq) => journal.replay(fromSeq),
    truncateBefore: (before) => journal.truncateBefore(before),
    get lastSeq() {
      return journal.lastSeq;
    },
    get tornBytes() {
      return journal.tornBytes;
    },
    close: () => journal.close(),
  };
}
