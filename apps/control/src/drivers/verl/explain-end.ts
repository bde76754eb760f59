import { stripVTControlCharacters } from "node:util";
import { withoutProcessPrefix } from "@liverl/contract/process-prefix";
import { readTail } from "#logs/read-tail.ts";
import { recogniseVerlError } from "#symptoms/recognise-verl-error.ts";

const TAIL_BYTES = 512 * 1024;
const LONGEST = 300;
/** The line that names an exception; the last of a log is the one that the others led to. */
const NAMES_ONE = /^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt)\b(?:: .*|$)/;
const SAYS_MORE = /Streaming process exception: .*/;

/** What the end of a console log gives away: a known sign with what to do, and the last exception in its own words. */
export async function explainEnd(path: string): Promise<string | null> {
  return explain(await readTail(path, TAIL_BYTES));
}

/** Pure; null where nothing is named. */
export function explain(log: string): string | null {
  const symptom = recogniseVerlError(log);
  const cause = findCause(log);
  if (!symptom) return cause;
  const known = `${symptom.cause} ${symptom.fix}`;
  return cause === null ? known : `${known} (${cause})`;
}

/** Pure. */
export function findCause(log: string): string | null {
  let cause: string | null = null;
  for (const raw of log.split("\n")) {
    const line = withoutProcessPrefix(stripVTControlCharacters(raw)).trim();
    const found = SAYS_MORE.exec(line)?.[0] ?? (NAMES_ONE.test(line) ? line : null);
    if (found !== null) cause = found.slice(0, LONGEST);
  }
  return cause;
}
