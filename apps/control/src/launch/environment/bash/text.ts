/** What a script gets from outside itself: its shell, its machine, a program that LiveRL does not run. */
export interface Unknown {
  /** As the script writes it: `$HOME`, `$(nproc)`. */
  source: string;
  /** Variables and positional arguments that would make it known. */
  names: readonly string[];
  /** What it most likely is where nobody says more; decides which branch is shown first. */
  assumed?: string;
}

/** A run of characters that stands at `at` in the script, or something unknown that stands there. */
export type Piece = { text: string; at: number } | { unknown: Unknown; at: number };
export type Text = readonly Piece[];

export const EMPTY: Text = [];

export const textOf = (text: string, at: number): Text => (text === "" ? EMPTY : [{ text, at }]);

export const unknownText = (unknown: Unknown, at: number): Text => [{ unknown, at }];

/** The characters of a text; null where a part of it is unknown. */
export function plain(text: Text): string | null {
  let all = "";
  for (const piece of text) {
    if ("unknown" in piece) return null;
    all += piece.text;
  }
  return all;
}

/** For people: unknown parts as the script writes them. */
export const show = (text: Text): string =>
  text.map((piece) => ("unknown" in piece ? piece.unknown.source : piece.text)).join("");

/** The characters with each unknown part as it most likely is; null where there is no likely value. */
export function likely(text: Text): string | null {
  let all = "";
  for (const piece of text) {
    const part = "unknown" in piece ? piece.unknown.assumed : piece.text;
    if (part === undefined) return null;
    all += part;
  }
  return all;
}

export const unknownsOf = (text: Text): Unknown[] =>
  text.flatMap((piece) => ("unknown" in piece ? [piece.unknown] : []));

export const hasCharacters = (text: Text): boolean =>
  text.some((piece) => "text" in piece && piece.text !== "");

export const lengthOf = (text: Text): number =>
  text.reduce((sum, piece) => sum + ("text" in piece ? piece.text.length : 1), 0);

/** One unknown that stands for a text with unknown parts, after an operation that cannot be computed. */
export function unknownOf(texts: readonly Text[], source: string): Unknown {
  const names = new Set(texts.flatMap((text) => unknownsOf(text).flatMap((each) => each.names)));
  return { source, names: [...names] };
}

/** Characters from `from` up to `to`, where unknown parts count one. */
export function sliceText(text: Text, from: number, to = Number.POSITIVE_INFINITY): Text {
  const pieces: Piece[] = [];
  let at = 0;
  for (const piece of text) {
    const length = "text" in piece ? piece.text.length : 1;
    const [start, end] = [Math.max(from - at, 0), Math.min(to - at, length)];
    if (start < end)
      pieces.push(
        "text" in piece ? { text: piece.text.slice(start, end), at: piece.at + start } : piece,
      );
    at += length;
  }
  return pieces;
}

/** Splits at each character of `marks`; unknown parts are never split. */
export function splitText(text: Text, marks: string): Text[] {
  const parts: Piece[][] = [[]];
  for (const piece of text) {
    if ("unknown" in piece) {
      parts.at(-1)?.push(piece);
      continue;
    }
    let from = 0;
    for (let i = 0; i <= piece.text.length; i++) {
      const isEnd = i === piece.text.length;
      if (!isEnd && !marks.includes(piece.text[i] ?? "")) continue;
      if (i > from) parts.at(-1)?.push({ text: piece.text.slice(from, i), at: piece.at + from });
      if (!isEnd) parts.push([]);
      from = i + 1;
    }
  }
  return parts;
}

/** Each character run through `change`, which may not look beyond it. */
export const mapText = (text: Text, change: (text: string) => string): Text =>
  text.map((piece) => ("text" in piece ? { ...piece, text: change(piece.text) } : piece));

/** The text without line ends at its end, as `$(…)` takes them off. */
export function trimLineEnds(text: Text): Text {
  const pieces = [...text];
  while (pieces.length > 0) {
    const last = pieces.at(-1);
    if (!last || "unknown" in last) break;
    let end = last.text.length;
    while (end > 0 && last.text[end - 1] === "\n") end -= 1;
    const trimmed = last.text.slice(0, end);
    pieces.pop();
    if (trimmed !== "") {
      pieces.push({ ...last, text: trimmed });
      break;
    }
  }
  return pieces;
}
