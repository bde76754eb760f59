import type { FilterField, FilterFields } from "#filter/filter-fields.ts";
import { FilterError } from "#filter/filter-tree.ts";
import { operatorsOf } from "#filter/parse-filter.ts";
import { printValue } from "#filter/print-filter.ts";
import { type FilterToken, readTokens } from "#filter/read-tokens.ts";

export interface FilterOption {
  /** What takes the place of the unfinished word. */
  text: string;
  about: string;
}
export interface FilterCompletion {
  /** `[from, to)` of the text is what the option replaces. */
  from: number;
  to: number;
  options: FilterOption[];
  /** The field whose values are wanted, when only the server knows them, and how the value begins. */
  valuesOf: { field: FilterField; prefix: string } | null;
}

const MOST = 12;
const JOINERS: FilterOption[] = [
  { text: "and", about: "both match" },
  { text: "or", about: "either matches" },
];

/** What may stand at the caret. Pure; a text with an open quote has its last word completed, too. */
export function completeFilter(
  text: string,
  caret: number,
  fields: FilterFields,
): FilterCompletion {
  const before = text.slice(0, caret);
  const tokens = readOpenTokens(before);
  const last = tokens.at(-1);
  // A word that the caret touches is unfinished.
  const isOpen = last !== undefined && last.to === before.length && isWordLike(last);
  const done = isOpen ? tokens.slice(0, -1) : tokens;
  const prefix = isOpen ? last.text : "";
  const place = placeAfter(done, fields);
  const begins = ({ text: option }: FilterOption) =>
    option.toLowerCase().replace(/^"/, "").startsWith(prefix.toLowerCase());
  return {
    from: isOpen ? last.from : caret,
    to: caret,
    options: place.options.filter(begins).slice(0, MOST),
    valuesOf: place.open ? { field: place.open, prefix } : null,
  };
}

interface Place {
  options: FilterOption[];
  open: FilterField | null;
}

function placeAfter(done: readonly FilterToken[], fields: FilterFields): Place {
  const last = done.at(-1);
  const word = last?.kind === "word" ? last.text.toLowerCase() : null;
  const field = fieldBefore(done, fields);
  if (last === undefined || last.kind === "open" || last.kind === "comma") {
    return field && isInList(done) ? valuesFor(field) : fieldsFor(fields);
  }
  if (word === "and" || word === "or" || (word === "not" && !field)) return fieldsFor(fields);
  if (last.kind === "op" && field) return valuesFor(field);
  if (word === "in" || word === "not") return { options: [], open: null };
  if (field && last === done.findLast(({ kind }) => kind === "word") && field.name === word)
    return { options: operatorsFor(field), open: null };
  return { options: JOINERS, open: null };
}

/** The field of the condition that the last token belongs to. */
function fieldBefore(done: readonly FilterToken[], fields: FilterFields): FilterField | null {
  for (const { kind, text } of done.toReversed()) {
    if (kind !== "word") continue;
    if (/^(and|or)$/i.test(text)) return null;
    const field = fields.find(({ name }) => name === text.toLowerCase());
    if (field) return field;
  }
  return null;
}

function isInList(done: readonly FilterToken[]): boolean {
  const open = done.findLastIndex(({ kind }) => kind === "open");
  return open > 0 && done[open - 1]?.text.toLowerCase() === "in";
}

function fieldsFor(fields: FilterFields): Place {
  return { options: fields.map(({ name, about }) => ({ text: name, about })), open: null };
}

function operatorsFor(field: FilterField): FilterOption[] {
  const about = { "~": "contains", "!~": "does not contain" } as Record<string, string>;
  return [
    ...operatorsOf(field).map((op) => ({ text: op, about: about[op] ?? "" })),
    { text: "in", about: field.kind === "number" ? "a range: 100..120" : "a list: (one, other)" },
  ];
}

function valuesFor(field: FilterField): Place {
  const none = field.optional ? [{ text: "none", about: "is without" }] : [];
  const choices = (field.choices ?? []).map((text) => ({ text: printValue(text), about: "" }));
  const isOpen = field.kind !== "number" && field.choices === undefined;
  return { options: [...choices, ...none], open: isOpen ? field : null };
}

function isWordLike({ kind }: FilterToken): boolean {
  return kind === "word" || kind === "string";
}

/** The tokens; of a text whose last quote is open, that text counts as its last word. */
function readOpenTokens(text: string): FilterToken[] {
  try {
    return readTokens(text);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const from = error.column - 1;
    const head = text.slice(0, from);
    const isQuote = text[from] === '"' || text[from] === "'";
    const rest: FilterToken[] = isQuote
      ? [{ kind: "string", text: text.slice(from + 1), from, to: text.length }]
      : [];
    return [...readOpenTokens(head), ...rest];
  }
}
