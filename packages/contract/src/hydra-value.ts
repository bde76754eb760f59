import type { OverrideValue } from "#override-value.ts";

/** Ends a value that stands without quotes. */
const ENDS = new Set([..."[]{},:"]);
const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;
const DEEPEST = 32;

/** A word without quotes as the value that it stands for in Hydra's grammar, in which `null`, `true` and `yes` are words. */
export function hydraScalar(text: string): string | number | boolean | null {
  if (/^(true|yes)$/i.test(text)) return true;
  if (/^(false|no)$/i.test(text)) return false;
  if (/^(null|none)$/i.test(text)) return null;
  return NUMBER.test(text) ? Number(text) : text;
}

/**
 * A list `[a,'b c',1]` or a map `{a:1,b:[x]}` of Hydra's override grammar (hydra.cc, "Override grammar"); keys and
 * strings in quotes, as JSON has them, are taken, too. Undefined where the text is neither.
 */
export function readHydraCollection(text: string): OverrideValue | undefined {
  const reader = new Reader(text.trim());
  const value = reader.collection(0);
  return reader.isAtEnd ? value : undefined;
}

class Reader {
  private at = 0;
  private readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    this.skipSpace();
    return this.at === this.text.length;
  }

  collection(depth: number): OverrideValue | undefined {
    if (depth > DEEPEST) return undefined;
    if (this.take("[")) return this.list(depth);
    return this.take("{") ? this.map(depth) : undefined;
  }

  private list(depth: number): OverrideValue[] | undefined {
    const items: OverrideValue[] = [];
    if (this.take("]")) return items;
    do {
      const item = this.element(depth);
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.take(","));
    return this.take("]") ? items : undefined;
  }

  private map(depth: number): { [key: string]: OverrideValue } | undefined {
    const pairs: [string, OverrideValue][] = [];
    if (this.take("}")) return {};
    do {
      const key = this.quoted() ?? this.word();
      if (key === undefined || !this.take(":")) return undefined;
      const value = this.element(depth);
      if (value === undefined) return undefined;
      pairs.push([key, value]);
    } while (this.take(","));
    return this.take("}") ? Object.fromEntries(pairs) : undefined;
  }

  private element(depth: number): OverrideValue | undefined {
    this.skipSpace();
    if ("[{".includes(this.text[this.at] ?? " ")) return this.collection(depth + 1);
    const quoted = this.quoted();
    if (quoted !== undefined) return quoted;
    const word = this.word({ mayHaveColons: true });
    return word === undefined ? undefined : hydraScalar(word);
  }

  /** In quotes only the quote itself is special; backslashes count before one. */
  private quoted(): string | undefined {
    this.skipSpace();
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") return undefined;
    let value = "";
    for (let at = this.at + 1; at < this.text.length; at += 1) {
      const char = this.text[at] ?? "";
      if (char === quote) {
        this.at = at + 1;
        return value;
      }
      const isEscape = char === "\\" && (this.text[at + 1] === quote || this.text[at + 1] === "\\");
      if (isEscape) at += 1;
      value += this.text[at] ?? "";
    }
    return undefined;
  }

  private word({ mayHaveColons = false } = {}): string | undefined {
    this.skipSpace();
    const from = this.at;
    for (; this.at < this.text.length; this.at += 1) {
      const char = this.text[this.at] ?? "";
      if (ENDS.has(char) && !(mayHaveColons && char === ":")) break;
    }
    const word = this.text.slice(from, this.at).trim();
    return word === "" || /^["']/.test(word) ? undefined : word;
  }

  private take(char: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  private skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
  }
}
