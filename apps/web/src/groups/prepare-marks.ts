import { diffArrays, diffWordsWithSpace } from "diff";
import type { PatchLine } from "#trajectories/parse-patch.ts";

export type Marks = ReadonlyMap<number, readonly { text: string; isChanged: boolean }[]>;

/** What differs between two patches, word by word: for each side, line index → its pieces. Equal lines have no entry. */
export function prepareMarks(
  left: readonly PatchLine[],
  right: readonly PatchLine[],
): { left: Marks; right: Marks } {
  const marks = {
    left: new Map<number, { text: string; isChanged: boolean }[]>(),
    right: new Map<number, { text: string; isChanged: boolean }[]>(),
  };
  const key = (line: PatchLine) => `${line.kind} ${line.text}`;
  let atLeft = 0;
  let atRight = 0;
  const parts = diffArrays(left.map(key), right.map(key));
  for (const [place, part] of parts.entries()) {
    const next = parts[place + 1];
    if (part.removed && next?.added)
      pairLines(left, right, atLeft, part.value.length, atRight, next.value.length, marks);
    if (!part.added) atLeft += part.value.length;
    if (!part.removed) atRight += part.value.length;
  }
  return marks;
}

function pairLines(
  left: readonly PatchLine[],
  right: readonly PatchLine[],
  fromLeft: number,
  countLeft: number,
  fromRight: number,
  countRight: number,
  marks: {
    left: Map<number, { text: string; isChanged: boolean }[]>;
    right: Map<number, { text: string; isChanged: boolean }[]>;
  },
): void {
  const isCode = (line: PatchLine | undefined): line is PatchLine =>
    line !== undefined && (line.kind === "add" || line.kind === "remove" || line.kind === "same");
  for (let at = 0; at < Math.min(countLeft, countRight); at += 1) {
    const one = left[fromLeft + at];
    const other = right[fromRight + at];
    if (!isCode(one) || !isCode(other) || one.kind !== other.kind) continue;
    const words = diffWordsWithSpace(one.text, other.text);
    marks.left.set(
      fromLeft + at,
      words
        .filter((word) => !word.added)
        .map((word) => ({ text: word.value, isChanged: word.removed })),
    );
    marks.right.set(
      fromRight + at,
      words
        .filter((word) => !word.removed)
        .map((word) => ({ text: word.value, isChanged: word.added })),
    );
  }
}
