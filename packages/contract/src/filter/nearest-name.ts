/** The name that a mistyped word is nearest to: at most a third of its letters off, or its beginning; else null. */
export function nearestName(word: string, names: readonly string[]): string | null {
  const wanted = word.toLowerCase().slice(0, 40);
  const begun = names.find((name) => wanted.length > 1 && name.startsWith(wanted));
  if (begun !== undefined) return begun;
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

/** Letters to insert, drop or replace (Levenshtein). */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const here = [row];
    for (let at = 1; at <= b.length; at += 1) {
      const replaced = (above[at - 1] ?? 0) + (a[row - 1] === b[at - 1] ? 0 : 1);
      here.push(Math.min((above[at] ?? 0) + 1, (here[at - 1] ?? 0) + 1, replaced));
    }
    above = here;
  }
  return above[b.length] ?? 0;
}
