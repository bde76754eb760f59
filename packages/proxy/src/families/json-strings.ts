const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Follows JSON text as it grows: whether it stands inside of a string, and how deep. */
export class JsonStrings {
  isInside = false;
  /** Brackets and braces that are open. */
  depth = 0;
  #isEscaped = false;

  push(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === QUOTE) this.isInside = !this.isInside;
      else if (this.isInside) this.#isEscaped = code === BACKSLASH;
      else this.#countBracket(text[at]);
    }
  }

  #countBracket(character: string | undefined): void {
    if (character === "{" || character === "[") this.depth += 1;
    else if (character === "}" || character === "]") this.depth -= 1;
  }
}
