const MOST = 12;
const LONGEST = 300;

/** A few of them, each on one line. Pure. */
export function boundedEvidence(found: readonly string[]): string[] {
  const shown = found
    .slice(0, MOST)
    .map((text) => text.replace(/\s+/g, " ").trim().slice(0, LONGEST));
  return found.length > MOST ? [...shown, `and ${found.length - MOST} more`] : shown;
}
