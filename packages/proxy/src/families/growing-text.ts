/** Text that grows while white space at its end is held back until more follows. */
export class GrowingText {
  #told = "";
  #held = "";
  #dropped: RegExp | null = null;
  #isNewPart = false;

  /** Adds text; returns what of it, and of what was held, is certain now. */
  add(text: string): string {
    const kept = this.#dropped === null ? text : text.replace(this.#dropped, "");
    if (kept === "") return "";
    this.#dropped = null;
    if (this.#isNewPart && this.#told !== "") this.#held = "\n";
    this.#isNewPart = false;
    // Only what is new is looked at: white space may be long and come token by token.
    const end = kept.trimEnd().length;
    if (end === 0) {
      this.#held += kept;
      return "";
    }
    const certain = this.#held + kept.slice(0, end);
    this.#held = kept.slice(end);
    this.#told += certain;
    return certain;
  }

  /** Characters of this sort are dropped until others come. */
  dropLeading(sort: "white space" | "line breaks"): void {
    this.#dropped = sort === "white space" ? /^\s+/ : /^[\r\n]+/;
  }

  /** White space before the first text was none of it. */
  dropStart(): void {
    if (this.#told === "") this.#held = "";
  }

  /** What follows is another part, on a line of its own. */
  separate(): void {
    this.#isNewPart = true;
  }

  get trimmed(): string {
    return this.#told;
  }

  get whole(): string {
    return this.#told + this.#held;
  }
}
