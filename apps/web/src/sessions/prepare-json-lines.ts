/** A line of a body as it is shown: a long one is broken, and only its first piece has the number. */
export interface BodyLine {
  number: number | null;
  text: string;
}

/** Longer lines are broken, so that every row of the list has one height. */
const BREAK_AT = 160;

/** The body indented where it is JSON, else as it came. */
export function prepareJsonLines(body: string, pretty: boolean): BodyLine[] {
  const shown = pretty && isJson(body) ? indent(body) : body;
  return shown.split("\n").flatMap((line, i) => {
    const pieces: BodyLine[] = [{ number: i + 1, text: line.slice(0, BREAK_AT) }];
    for (let at = BREAK_AT; at < line.length; at += BREAK_AT)
      pieces.push({ number: null, text: line.slice(at, at + BREAK_AT) });
    return pieces;
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const PIECES = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;
const OPENS = new Set(["{", "["]);
const CLOSES = new Set(["}", "]"]);

/**
 * White space between values only: numbers, key order and escapes stay as they were sent. A parser would round large
 * numbers and move keys that look like numbers.
 */
function indent(json: string): string {
  let text = "";
  let depth = 0;
  let before = "";
  for (const [piece] of json.matchAll(PIECES)) {
    const isEmpty = CLOSES.has(piece) && OPENS.has(before);
    if (CLOSES.has(piece)) depth -= 1;
    const breaks = OPENS.has(before) || before === "," || CLOSES.has(piece);
    if (breaks && !isEmpty) text += `\n${"  ".repeat(depth)}`;
    text += piece === ":" ? ": " : piece;
    if (OPENS.has(piece)) depth += 1;
    before = piece;
  }
  return text;
}
