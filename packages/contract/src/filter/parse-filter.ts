import type { FilterField, FilterFields } from "#filter/filter-fields.ts";
import {
  type Comparison,
  type Filter,
  FilterError,
  type FilterLeaf,
  MAX_FILTER_LENGTH,
} from "#filter/filter-tree.ts";
import { nearestName } from "#filter/nearest-name.ts";
import { type FilterToken, readTokens } from "#filter/read-tokens.ts";

/** A filter that nobody writes by hand: deeper or longer ones are refused. */
const MAX_DEPTH = 40;
const MAX_CONDITIONS = 200;

const OPERATORS_OF = {
  number: ["=", "!=", "<", "<=", ">", ">="],
  text: ["=", "!=", "~", "!~"],
  choice: ["=", "!=", "~", "!~"],
  list: ["=", "!=", "~", "!~"],
} as const satisfies Record<FilterField["kind"], readonly Comparison[]>;

/** The operators that fit a field; `in` and `not in` fit every one. */
export function operatorsOf(field: FilterField): readonly Comparison[] {
  return OPERATORS_OF[field.kind];
}

/**
 * Reads `reward < 0.5 and reason = "timeout" and step in 100..120`. An empty text is null: everything matches.
 * Throws only {@link FilterError}, with the column of the fault.
 */
export function parseFilter(text: string, fields: FilterFields): Filter | null {
  if (text.length > MAX_FILTER_LENGTH)
    throw new FilterError(`A filter can have at most ${MAX_FILTER_LENGTH} characters.`, {
      column: MAX_FILTER_LENGTH + 1,
    });
  const tokens = readTokens(text);
  if (tokens.length === 0) return null;
  return new Parser(text, tokens, fields).parse();
}

class Parser {
  #at = 0;
  #depth = 0;
  #conditions = 0;

  constructor(
    readonly text: string,
    readonly tokens: readonly FilterToken[],
    readonly fields: FilterFields,
  ) {}

  parse(): Filter {
    const filter = this.#any();
    const rest = this.#peek();
    if (rest) throw this.#fault("Expected and, or, or the end.", rest);
    return filter;
  }

  #any(): Filter {
    return this.#joined("or", () => this.#joined("and", () => this.#single()));
  }

  #joined(kind: "and" | "or", read: () => Filter): Filter {
    const parts = [read()];
    while (this.#takesWord(kind)) parts.push(read());
    const [only] = parts;
    if (parts.length === 1 && only) return only;
    return { kind, parts: parts.flatMap((part) => (part.kind === kind ? part.parts : [part])) };
  }

  #single(): Filter {
    const token = this.#peek();
    if (!token) throw this.#fault("Expected a condition, as in reward < 0.5.", token);
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw this.#fault(`Parentheses can nest at most ${MAX_DEPTH} deep.`, token);
    const filter = this.#within(token);
    this.#depth -= 1;
    return filter;
  }

  #within(token: FilterToken): Filter {
    if (this.#takesWord("not")) return { kind: "not", part: this.#single() };
    if (token.kind !== "open") return this.#condition(token);
    this.#at += 1;
    const inner = this.#any();
    const close = this.#peek();
    if (close?.kind !== "close") throw this.#fault("Expected ) here.", close);
    this.#at += 1;
    return inner;
  }

  #condition(token: FilterToken): FilterLeaf | Filter {
    this.#conditions += 1;
    if (this.#conditions > MAX_CONDITIONS)
      throw this.#fault(`A filter can have at most ${MAX_CONDITIONS} conditions.`, token);
    const field = this.#field(token);
    if (this.#takesWord("not")) {
      if (!this.#takesWord("in")) throw this.#fault("Expected in after not.", this.#peek());
      return { kind: "not", part: this.#in(field) };
    }
    if (this.#takesWord("in")) return this.#in(field);
    return this.#compare(field, token);
  }

  #field(token: FilterToken): FilterField {
    if (token.kind !== "word") throw this.#fault("Expected the name of a field.", token);
    const name = token.text.toLowerCase();
    const field = this.fields.find((one) => one.name === name);
    if (!field) {
      const names = this.fields.map((one) => one.name);
      const near = nearestName(name, names);
      const known = near === null ? ` Use one of ${names.join(", ")}.` : "";
      throw this.#fault(`Unknown field "${token.text}".${known}`, token, near);
    }
    this.#at += 1;
    return field;
  }

  #compare(field: FilterField, fieldToken: FilterToken): FilterLeaf {
    const token = this.#peek();
    const fitting = operatorsOf(field);
    if (token?.kind !== "op") {
      const list = `${fitting.join(" ")} in`;
      throw this.#fault(`Expected one of ${list} after ${fieldToken.text}.`, token);
    }
    const op = fitting.find((one) => one === token.text);
    if (op === undefined)
      throw this.#fault(
        `${token.text} does not work on ${field.name}. Use ${fitting.join(" ")} or in.`,
        token,
      );
    this.#at += 1;
    return { kind: "compare", field: field.name, op, value: this.#operand(field, op) };
  }

  #operand(field: FilterField, op: Comparison): string | number | null {
    const token = this.#peek();
    const isNone = token?.kind === "word" && token.text.toLowerCase() === "none";
    if (!isNone) return this.#value(field, op === "~" || op === "!~");
    if (op !== "=" && op !== "!=") throw this.#fault("none works with = and != only.", token);
    if (!field.optional)
      throw this.#fault(`${field.name} always has a value, so none does not apply.`, token);
    this.#at += 1;
    return null;
  }

  /** A number for a number, one of the choices for a choice, else any word or quoted text. */
  #value(field: FilterField, isPart = false): string | number {
    const token = this.#peek();
    if (field.kind === "number") return this.#number(field);
    if (!token || !["word", "string", "number"].includes(token.kind))
      throw this.#fault(`Expected a value for ${field.name}, as in ${exampleOf(field)}.`, token);
    const word = token.text;
    if (field.choices && !isPart && !field.choices.includes(word)) {
      const near = nearestName(word, field.choices);
      const list = near === null ? ` Use one of ${field.choices.join(", ")}.` : "";
      throw this.#fault(`Unknown value "${word}" for ${field.name}.${list}`, token, near);
    }
    this.#at += 1;
    return word;
  }

  #number(field: FilterField): number {
    const token = this.#peek();
    const value = token?.kind === "number" ? Number(token.text) : Number.NaN;
    if (!token || Number.isNaN(value))
      throw this.#fault(`Expected a number for ${field.name}.`, token);
    if (!Number.isFinite(value)) throw this.#fault("This number is too large.", token);
    this.#at += 1;
    // There is one zero: -0 would not be printed.
    return value === 0 ? 0 : value;
  }

  #in(field: FilterField): FilterLeaf {
    const open = this.#peek();
    if (open?.kind === "open") {
      this.#at += 1;
      return { kind: "among", field: field.name, values: this.#list(field) };
    }
    if (field.kind !== "number")
      throw this.#fault(`Expected a list after in, as in (${exampleOf(field)}).`, open);
    const from = this.#number(field);
    const dots = this.#peek();
    if (dots?.kind !== "dots")
      throw this.#fault("Expected .. and the end of the range, as in 100..120.", dots);
    this.#at += 1;
    const end = this.#peek();
    const to = this.#number(field);
    if (to < from) throw this.#fault(`The range ends before its start, ${from}.`, end);
    return { kind: "range", field: field.name, from, to };
  }

  #list(field: FilterField): (string | number)[] {
    const values: (string | number)[] = [];
    for (;;) {
      values.push(this.#value(field));
      const next = this.#peek();
      if (next?.kind !== "comma" && next?.kind !== "close")
        throw this.#fault("Expected , or ) here.", next);
      this.#at += 1;
      if (next.kind === "close") return values;
    }
  }

  #peek(): FilterToken | undefined {
    return this.tokens[this.#at];
  }

  #takesWord(word: string): boolean {
    const token = this.#peek();
    const isIt = token?.kind === "word" && token.text.toLowerCase() === word;
    if (isIt) this.#at += 1;
    return isIt;
  }

  #fault(why: string, token: FilterToken | undefined, suggestion?: string | null): FilterError {
    return new FilterError(
      why,
      token
        ? { column: token.from + 1, length: token.to - token.from, suggestion }
        : { column: this.text.length + 1 },
    );
  }
}

function exampleOf(field: FilterField): string {
  return field.choices?.[0] ?? '"text"';
}
