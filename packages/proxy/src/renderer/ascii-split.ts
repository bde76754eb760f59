/** Where the piece that begins at `from` ends; -1 where a character beyond ASCII has a say in it. */
export type EndOfPiece = (units: Uint16Array, from: number, length: number) => number;

const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const LINE_END = 4;
const BEYOND = 5;
const NOTHING = 6;
/** The sort of each ASCII character; one more stands for all others. */
const SORTS = Uint8Array.from({ length: 129 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (code === 128) return BEYOND;
  if (/[A-Za-z]/.test(character)) return LETTER;
  if (/[0-9]/.test(character)) return DIGIT;
  if (/[\r\n]/.test(character)) return LINE_END;
  return /\s/.test(character) ? SPACE : OTHER;
});
const APOSTROPHE = 0x27;
const BLANK = 0x20;
const LOWER = 0x20;
/** What may follow an apostrophe: `'s 't 'm 'd`, and `'re 've 'll` by their first and second letter. */
const ENDINGS = new Map([..."stmd"].map((letter) => [letter.charCodeAt(0), 0]));
for (const [first, second] of ["re", "ve", "ll"])
  ENDINGS.set(String(first).charCodeAt(0), String(second).charCodeAt(0));

const patternOf = (numbers: string) =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${numbers}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

/**
 * Splits ASCII as the expression of cl100k's family does, some five times cheaper; null for any other expression. Qwen takes digits one
 * by one, Llama 3 and GLM three at a time.
 */
export function asciiSplit(source: string): EndOfPiece | null {
  const most = { [patternOf("\\p{N}")]: 1, [patternOf("\\p{N}{1,3}")]: 3 }[source];
  if (most === undefined) return null;
  return (units, from, length) => endOfPiece(units, from, length, most);
}

/** Beyond the end stands a character that is of no sort. */
const sortAt = (units: Uint16Array, at: number): number =>
  SORTS[Math.min(units[at] ?? 128, 128)] ?? BEYOND;

function endOfPiece(units: Uint16Array, from: number, length: number, digits: number): number {
  const sort = sortAt(units, from);
  if (sort === LETTER) return endOfRun(units, from + 1, length, LETTER);
  if (sort === DIGIT) return endOfRun(units, from + 1, Math.min(length, from + digits), DIGIT);
  const after = from + 1 < length ? sortAt(units, from + 1) : NOTHING;
  if (sort === BEYOND || after === BEYOND) return -1;
  if (after === LETTER && sort !== LINE_END)
    return endOfEnding(units, from, length) || endOfRun(units, from + 1, length, LETTER);
  if (sort === OTHER || (after === OTHER && units[from] === BLANK))
    return endOfMarks(units, from + 1, length);
  return endOfBlank(units, from, length);
}

/** What is neither letter nor digit, and line ends after it. */
function endOfMarks(units: Uint16Array, from: number, length: number): number {
  const end = endOfRun(units, from, length, OTHER);
  return end < 0 ? end : endOfRun(units, end, length, LINE_END);
}

/** Where the run of one sort ends; -1 where it is not ended by ASCII. */
function endOfRun(units: Uint16Array, from: number, length: number, sort: number): number {
  let at = from;
  while (at < length && sortAt(units, at) === sort) at += 1;
  return at < length && sortAt(units, at) === BEYOND ? -1 : at;
}

/** After `'s` and its like; 0 where there is none. */
function endOfEnding(units: Uint16Array, from: number, length: number): number {
  if (units[from] !== APOSTROPHE) return 0;
  const second = ENDINGS.get((units[from + 1] ?? 0) | LOWER);
  if (second === undefined) return 0;
  if (second === 0) return from + 2;
  return from + 2 < length && ((units[from + 2] ?? 0) | LOWER) === second ? from + 3 : 0;
}

/** White space up to its last line end; without one, all of it but the last before a word. */
function endOfBlank(units: Uint16Array, from: number, length: number): number {
  let at = from;
  let afterLine = 0;
  for (; at < length; at += 1) {
    const sort = sortAt(units, at);
    if (sort === BEYOND) return -1;
    if (sort === LINE_END) afterLine = at + 1;
    else if (sort !== SPACE) break;
  }
  if (afterLine > 0) return afterLine;
  return at === length || at - from === 1 ? at : at - 1;
}
