/** Finds marks that are spelled out in text, and holds back what may become one. */
export class SpelledMarks {
  #held = "";

  push(text: string): void {
    this.#held += text;
  }

  get held(): string {
    return this.#held;
  }

  /** The next certain part: text, then the mark that follows it, if one is whole. Null when nothing is certain. */
  next(marks: readonly string[]): { text: string; mark: string | null } | null {
    if (this.#held === "") return null;
    const found = firstMark(this.#held, marks);
    if (found) {
      const text = this.#held.slice(0, found.at);
      this.#held = this.#held.slice(found.at + found.mark.length);
      return { text, mark: found.mark };
    }
    const end = startOfPartial(this.#held, marks);
    const text = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    return text === "" ? null : { text, mark: null };
  }

  /** All that is held: no mark can come of it any more. */
  flush(): string {
    const text = this.#held;
    this.#held = "";
    return text;
  }
}

function firstMark(text: string, marks: readonly string[]): { at: number; mark: string } | null {
  let best: { at: number; mark: string } | null = null;
  for (const mark of marks) {
    const at = text.indexOf(mark);
    if (at >= 0 && (best === null || at < best.at)) best = { at, mark };
  }
  return best;
}

/** Where the longest end of `text` starts that is the beginning of a mark. */
function startOfPartial(text: string, marks: readonly string[]): number {
  const longest = marks.reduce((length, mark) => Math.max(length, mark.length), 1);
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
    const first = text[at];
    if (marks.some((mark) => mark[0] === first && mark.startsWith(text.slice(at)))) return at;
  }
  return text.length;
}
