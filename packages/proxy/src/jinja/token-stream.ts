import { JinjaError } from "#jinja/jinja-error.ts";
import type { Token } from "#jinja/lex-template.ts";

const END: Token = { kind: "end-block", text: "" };

/** Tokens with a cursor. */
export class TokenStream {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? END;
  }

  next(): Token {
    const token = this.#tokens[this.#at];
    if (!token) throw new JinjaError("the template ends too early");
    this.#at += 1;
    return token;
  }

  is(kind: Token["kind"], text?: string): boolean {
    const token = this.peek();
    return !this.isAtEnd && token.kind === kind && (text === undefined || token.text === text);
  }

  isName(...names: readonly string[]): boolean {
    return this.is("name") && names.includes(this.peek().text);
  }

  isOperator(...operators: readonly string[]): boolean {
    return this.is("operator") && operators.includes(this.peek().text);
  }

  skip(kind: Token["kind"], text?: string): boolean {
    if (!this.is(kind, text)) return false;
    this.#at += 1;
    return true;
  }

  expect(kind: Token["kind"], text?: string): Token {
    if (!this.is(kind, text)) {
      const found = this.isAtEnd ? "its end" : this.peek().text || this.peek().kind;
      throw new JinjaError(`the template has ${found} where ${text ?? kind} should be`);
    }
    return this.next();
  }
}
