/** Start offsets of each occurrence of `query` in `text`, case left aside. Matches do not overlap. */
export function findText(text: string, query: string): number[] {
  if (query === "") return [];
  const hay = text.toLowerCase();
  const needle = query.toLowerCase();
  const found: number[] = [];
  for (let at = hay.indexOf(needle); at >= 0; at = hay.indexOf(needle, at + needle.length))
    found.push(at);
  return found;
}

/** `text` cut into plain and matching pieces. */
export function splitByMatch(text: string, query: string): { text: string; isMatch: boolean }[] {
  const pieces: { text: string; isMatch: boolean }[] = [];
  let at = 0;
  for (const start of findText(text, query)) {
    if (start > at) pieces.push({ text: text.slice(at, start), isMatch: false });
    pieces.push({ text: text.slice(start, start + query.length), isMatch: true });
    at = start + query.length;
  }
  if (at < text.length || pieces.length === 0)
    pieces.push({ text: text.slice(at), isMatch: false });
  return pieces;
}
