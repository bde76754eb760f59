const ESCAPE = /\\(?:\n|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|[\s\S])/g;
const SIMPLE: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The body of a string literal, read as Python's `unicode-escape` does: unknown escapes keep their backslash. */
export function unescapeString(body: string): string {
  if (!body.includes("\\")) return body;
  return body.replace(ESCAPE, (found) => {
    const rest = found.slice(1);
    const simple = SIMPLE[rest];
    if (simple !== undefined) return simple;
    if (/^[xuU]./.test(rest)) return String.fromCodePoint(Number.parseInt(rest.slice(1), 16));
    if (/^[0-7]/.test(rest)) return String.fromCodePoint(Number.parseInt(rest, 8));
    return found;
  });
}
