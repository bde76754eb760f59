import { JinjaError } from "#jinja/jinja-error.ts";
import { unescapeString } from "#jinja/unescape-string.ts";

export type Token =
  | { kind: "text"; text: string }
  | { kind: "begin-print" | "end-print" | "begin-block" | "end-block"; text: string }
  | { kind: "name" | "string" | "operator" | "integer" | "float"; text: string };

const OPENING = /\{(?:\{|%|#)/g;
const RAW = /\{%([-+]?)\s*raw\s*(?:-%\}\s*|%\}\n?)/y;
const END_RAW = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\}\n?)/g;
const END_COMMENT = /(?:\+#\}|-#\}\s*|#\}\n?)/g;
const END_BLOCK = /(?:\+%\}|-%\}\s*|%\}\n?)/y;
const END_PRINT = /-\}\}\s*|\}\}/y;
const SPACE = /\s+/y;
const FLOAT = /\d+(?:_\d+)*(?:(?:\.\d+(?:_\d+)*)?[eE][+-]?\d+(?:_\d+)*|\.\d+(?:_\d+)*)/y;
const INTEGER =
  /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy;
const STRING = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[+\-/*%~[\](){}><=.:|,;]/y;
const OPENERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * Splits a template as jinja2 3.1's lexer does with `trim_blocks` and `lstrip_blocks`, which is how
 * Hugging Face compiles chat templates. Throws JinjaError.
 */
export function lexTemplate(source: string): Token[] {
  return new Lexer(source.replace(/\r\n|\r/g, "\n").replace(/\n$/, "")).run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  /** Whether a line begins here: what was eaten before ended in a newline. */
  #atLineStart = true;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    while (this.#at < this.#source.length) {
      OPENING.lastIndex = this.#at;
      const opening = OPENING.exec(this.#source);
      if (!opening) {
        this.#text(this.#source.slice(this.#at));
        break;
      }
      const mark = opening[0];
      const sign = this.#source[opening.index + 2] ?? "";
      this.#text(this.#before(opening.index, mark, sign));
      this.#at = opening.index;
      const signed = sign === "-" || sign === "+";
      if (mark === "{#") this.#comment();
      else if (mark === "{{") this.#inside("begin-print", "end-print", END_PRINT, signed);
      else if (!this.#raw()) this.#inside("begin-block", "end-block", END_BLOCK, signed);
    }
    return this.#tokens;
  }

  /** The text up to `end`, as the marks of what follows trim it. */
  #before(end: number, mark: string, sign: string): string {
    const text = this.#source.slice(this.#at, end);
    if (sign === "-") return text.trimEnd();
    if (sign === "+" || mark === "{{") return text;
    const line = text.lastIndexOf("\n") + 1;
    if (line === 0 && !this.#atLineStart) return text;
    return text.slice(line).trim() === "" ? text.slice(0, line) : text;
  }

  #text(text: string): void {
    if (text !== "") this.#tokens.push({ kind: "text", text });
  }

  #moveTo(end: number): void {
    this.#at = end;
    this.#atLineStart = this.#source[end - 1] === "\n";
  }

  #comment(): void {
    END_COMMENT.lastIndex = this.#at + 2;
    const end = END_COMMENT.exec(this.#source);
    if (!end) throw new JinjaError("a comment of the template is not closed");
    this.#moveTo(END_COMMENT.lastIndex);
  }

  #raw(): boolean {
    RAW.lastIndex = this.#at;
    if (!RAW.test(this.#source)) return false;
    const start = RAW.lastIndex;
    END_RAW.lastIndex = start;
    const end = END_RAW.exec(this.#source);
    if (!end) throw new JinjaError("a raw block of the template is not closed");
    this.#moveTo(start);
    this.#text(this.#before(end.index, "{%", end[1] ?? ""));
    this.#moveTo(END_RAW.lastIndex);
    return true;
  }

  #inside(
    begin: "begin-print" | "begin-block",
    end: "end-print" | "end-block",
    closing: RegExp,
    signed: boolean,
  ): void {
    this.#tokens.push({ kind: begin, text: "" });
    this.#moveTo(this.#at + (signed ? 3 : 2));
    const open: string[] = [];
    for (;;) {
      this.#match(SPACE);
      if (open.length === 0 && this.#match(closing) !== null) break;
      this.#tokens.push(this.#token(open));
    }
    this.#tokens.push({ kind: end, text: "" });
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    if (found === undefined) return null;
    this.#moveTo(pattern.lastIndex);
    return found;
  }

  #token(open: string[]): Token {
    const float = this.#source[this.#at - 1] === "." ? null : this.#match(FLOAT);
    if (float !== null) return { kind: "float", text: float.replaceAll("_", "") };
    const integer = this.#match(INTEGER);
    if (integer !== null) return { kind: "integer", text: integer.replaceAll("_", "") };
    const name = this.#match(NAME);
    if (name !== null) return { kind: "name", text: name };
    const quoted = this.#match(STRING);
    if (quoted !== null) return { kind: "string", text: unescapeString(quoted.slice(1, -1)) };
    const operator = this.#match(OPERATOR);
    if (operator === null) {
      const shown = this.#source.slice(this.#at, this.#at + 20);
      throw new JinjaError(
        shown === ""
          ? "a tag of the template is not closed"
          : `unexpected ${JSON.stringify(shown)}`,
      );
    }
    const closer = OPENERS[operator];
    if (closer !== undefined) open.push(closer);
    else if (")]}".includes(operator) && open.pop() !== operator)
      throw new JinjaError(`unexpected ${operator} in the template`);
    return { kind: "operator", text: operator };
  }
}
