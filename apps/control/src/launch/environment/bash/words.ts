import { parse, type Word, type WordPart } from "unbash";
import { evaluateArithmetic, isInteger } from "#launch/environment/bash/arithmetic.ts";
import { expandParameter, expandSimple } from "#launch/environment/bash/parameters.ts";
import type { PatternChar } from "#launch/environment/bash/pattern.ts";
import type { Shell } from "#launch/environment/bash/shell.ts";
import {
  EMPTY,
  type Piece,
  plain,
  type Text,
  textOf,
  unknownText,
} from "#launch/environment/bash/text.ts";

/** What an expansion comes to: one text, or the elements of an array. */
export type Expansion =
  | { kind: "text"; text: Text }
  | { kind: "list"; items: readonly Text[]; isJoined: boolean }
  /** What `${x:-word}` falls back to: its own quotes count. */
  | { kind: "word"; word: Word };

const ESCAPED_IN_QUOTES = new Set([...'$`"\\\n']);
const MAX_BRACE_WORDS = 1_000;
/** Braces of one word. */
const MAX_BRACES = 8;
const MAX_BRACE_TEXT = 10_000;
const DEFAULT_IFS = " \t\n";

/** Literal characters, without their backslashes, each run of them at its place in the script. */
export function literalText(
  shell: Shell,
  { text, value, pos }: { text: string; value: string; pos: number },
  isEscape: (next: string) => boolean,
): Text {
  if (text === value && !shell.hasMarks) return textOf(value, shell.at(pos));
  const pieces: Piece[] = [];
  let run = "";
  let from = 0;
  const flush = (next: number) => {
    if (run !== "") pieces.push({ text: run, at: shell.at(pos + from) });
    run = "";
    from = next;
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? "";
    const mark = shell.markAt(char);
    if (mark) {
      flush(i + 1);
      pieces.push({ unknown: mark, at: shell.at(pos + i) });
    } else if (char === "\\" && i + 1 < text.length && isEscape(text[i + 1] ?? "")) {
      flush(i + 1);
      i += 1;
      if (text[i] === "\n") from = i + 1;
      else run += text[i];
    } else run += char;
  }
  flush(text.length);
  return pieces;
}

const inBare = () => true;
const inQuotes = (next: string) => ESCAPED_IN_QUOTES.has(next);
const nowhere = () => false;

/** Where expanded parts of a word go. */
interface Sink {
  add: (text: Text, isQuoted: boolean) => void;
  addList: (items: readonly Text[], isJoined: boolean, isQuoted: boolean) => void;
}

function emit(
  shell: Shell,
  part: WordPart,
  isQuoted: boolean,
  sink: Sink,
  splitsLiterals = false,
): void {
  switch (part.type) {
    case "Literal":
      sink.add(literalText(shell, part, isQuoted ? inQuotes : inBare), !splitsLiterals);
      return;
    case "Glob":
      if (part.kind === "bracket") {
        sink.add(textOf("[", shell.at(part.pos)), true);
        for (const inner of part.parts) emit(shell, inner, isQuoted, sink);
        sink.add(textOf("]", shell.at(part.end - 1)), true);
      } else sink.add(textOf(part.value, shell.at(part.pos)), true);
      return;
    case "SingleQuoted":
      sink.add(
        literalText(shell, { text: part.value, value: part.value, pos: part.pos + 1 }, nowhere),
        true,
      );
      return;
    case "AnsiCQuoted":
      sink.add(textOf(part.value, shell.at(part.pos)), true);
      return;
    case "DoubleQuoted":
    case "LocaleString":
      // `"${A[@]}"` of an empty array is no word at all; `""` is an empty one.
      if (part.parts.length === 0) sink.add(EMPTY, true);
      for (const inner of part.parts) emit(shell, inner, true, sink);
      return;
    case "SimpleExpansion":
      addExpansion(shell, expandSimple(shell, part), isQuoted, sink);
      return;
    case "ParameterExpansion":
      addExpansion(shell, expandParameter(shell, part), isQuoted, sink);
      return;
    case "CommandExpansion":
      sink.add(shell.capture(part.script, part.text, part.pos), isQuoted);
      return;
    case "ArithmeticExpansion": {
      const value = evaluateArithmetic(shell, part.expression);
      const at = shell.at(part.pos);
      sink.add(
        isInteger(value)
          ? textOf(String(value), at)
          : unknownText({ ...value, source: part.text }, at),
        true,
      );
      return;
    }
    case "ProcessSubstitution":
      sink.add(shell.substituteProcess(part), true);
      return;
    case "ExtendedGlob":
    case "BraceExpansion":
      sink.add(textOf(part.text, shell.at(part.pos)), true);
      return;
  }
}

function addExpansion(shell: Shell, expansion: Expansion, isQuoted: boolean, sink: Sink): void {
  if (expansion.kind === "text") sink.add(expansion.text, isQuoted);
  else if (expansion.kind === "word") {
    for (const part of wordParts(shell, expansion.word))
      emit(shell, part, isQuoted, sink, !isQuoted);
  } else sink.addList(expansion.items, expansion.isJoined, isQuoted);
}

/** A word as one text, without splitting: an assignment's value, a `case` word, a redirection's target. */
export function expandWord(shell: Shell, word: Word | undefined): Text {
  if (word === undefined) return EMPTY;
  shell.spend(1);
  const pieces: Piece[] = [];
  const sink: Sink = {
    add: (text) => shell.append(pieces, text),
    addList: (items) =>
      items.forEach((item, i) => {
        if (i > 0) shell.append(pieces, textOf(" ", startOf(item, shell.at(word.pos))));
        shell.append(pieces, item);
      }),
  };
  const parts = wordParts(shell, word);
  for (const part of parts) emit(shell, part, false, sink);
  return pieces;
}

export function expandParts(shell: Shell, parts: readonly WordPart[], isQuoted = true): Text {
  const pieces: Piece[] = [];
  const sink: Sink = {
    add: (text) => shell.append(pieces, text),
    addList: (items) =>
      items.forEach((item, i) => {
        if (i > 0) shell.append(pieces, textOf(" ", startOf(item, 0)));
        shell.append(pieces, item);
      }),
  };
  for (const part of parts) emit(shell, part, isQuoted, sink);
  return pieces;
}

const startOf = (text: Text, otherwise: number) => text[0]?.at ?? otherwise;

/** The parts of a word, a leading `~` among them as what it stands for. */
function wordParts(shell: Shell, word: Word): readonly WordPart[] {
  const parts: readonly WordPart[] =
    word.parts && word.parts.length > 0
      ? word.parts
      : [{ type: "Literal", text: word.text, value: word.value, pos: word.pos, end: word.end }];
  const [first] = parts;
  if (first?.type !== "Literal") return parts;
  const [tilde, name = ""] = /^([A-Za-z_]\w*=)?~(?=\/|:|$)/.exec(first.text) ?? [];
  const isWhole = parts.length === 1 || first.text.length > (tilde?.length ?? 0);
  if (tilde === undefined || !isWhole) return parts;
  const at = first.pos + name.length;
  const rest = first.text.slice(tilde.length);
  return [
    { type: "Literal", text: name, value: name, pos: first.pos, end: at },
    { type: "SimpleExpansion", text: "$HOME", pos: at, end: at + 1 },
    {
      ...first,
      text: rest,
      value: shell.unescape(rest),
      pos: at + 1,
    },
    ...parts.slice(1),
  ];
}

/** Words as the arguments that a command gets: braces, expansions, splitting at IFS, quotes taken off. */
export function expandFields(shell: Shell, words: readonly Word[]): Text[] {
  const fields: Text[] = [];
  for (const word of words)
    for (const { word: each, text } of braceWords(shell, word)) {
      shell.spend(1);
      const at = shell.at(word.pos);
      const expand = () => fieldsOf(shell, each);
      const made = text === null ? expand() : shell.within({ text, at: () => at }, expand);
      for (const field of made) {
        shell.spend(1);
        fields.push(field);
      }
    }
  return fields;
}

function fieldsOf(shell: Shell, word: Word): Text[] {
  const fields: Text[] = [];
  let current: Piece[] | null = null;
  const add = (text: Text) => {
    current ??= [];
    shell.append(current, text);
  };
  const end = () => {
    if (current) fields.push(current);
    current = null;
  };
  const addSplit = (text: Text) => splitFields(text, shell.ifs, add, end);
  const sink: Sink = {
    add: (text, isQuoted) => (isQuoted ? add(text) : addSplit(text)),
    addList: (items, isJoined, isQuoted) =>
      items.forEach((item, i) => {
        if (i > 0 && isQuoted && isJoined)
          add(textOf(shell.ifs.slice(0, 1), startOf(item, shell.at(word.pos))));
        else if (i > 0) end();
        if (isQuoted) add(item);
        else addSplit(item);
      }),
  };
  for (const part of wordParts(shell, word)) {
    const isEmptyLiteral = part.type === "Literal" && part.value === "";
    if (!isEmptyLiteral) emit(shell, part, false, sink);
  }
  end();
  return fields;
}

/** Cuts at the characters of IFS: runs of white space are one cut, any other character is one each. */
function splitFields(text: Text, ifs: string, add: (text: Text) => void, end: () => void): void {
  for (const piece of text) {
    if ("unknown" in piece) {
      add([piece]);
      continue;
    }
    let from = 0;
    let wasSpace = true;
    for (let i = 0; i <= piece.text.length; i++) {
      const char = piece.text[i];
      if (char !== undefined && !ifs.includes(char)) continue;
      if (i > from) add([{ text: piece.text.slice(from, i), at: piece.at + from }]);
      if (char !== undefined) {
        const isSpace = DEFAULT_IFS.includes(char);
        // Two commas in a row hold an empty field.
        if (!isSpace && i === from && !wasSpace) add(EMPTY);
        end();
        wasSpace = isSpace;
      }
      from = i + 1;
    }
  }
}

/** `a{b,c}` and `{1..3}` as the words that bash makes of them, each in a text of its own. */
function braceWords(shell: Shell, word: Word, depth = 0): { word: Word; text: string | null }[] {
  const brace = word.parts?.find((part) => part.type === "BraceExpansion");
  const unchanged = [{ word, text: null }];
  if (!brace || depth > MAX_BRACES || word.text.length > MAX_BRACE_TEXT) return unchanged;
  const options = braceOptions(brace.text);
  if (options === null) return unchanged;
  shell.spend(options.length * (1 + Math.ceil(word.text.length / 20)));
  const before = word.text.slice(0, brace.pos - word.pos);
  const after = word.text.slice(brace.end - word.pos);
  const words: { word: Word; text: string | null }[] = [];
  for (const option of options.slice(0, MAX_BRACE_WORDS)) {
    const text = `: ${before}${option}${after}`;
    const [statement] = parse(text).commands;
    const command = statement?.command;
    const made = command?.type === "Command" ? command.args[0] : undefined;
    // `{,x}` by itself makes an empty word, which is none.
    if (made === undefined) continue;
    if (made.type !== "Word") return unchanged;
    for (const one of braceWords(shell, made, depth + 1))
      words.push({ word: one.word, text: one.text ?? text });
  }
  return words;
}

function braceOptions(text: string): string[] | null {
  const inner = text.slice(1, -1);
  const [, first, last, by] =
    /^(-?\w{1,12})\.\.(-?\w{1,12})(?:\.\.(-?\d{1,9}))?$/.exec(inner) ?? [];
  if (first !== undefined && last !== undefined) return braceRange(first, last, by);
  const options: string[] = [];
  let depth = 0;
  let quote = "";
  let from = 0;
  for (let i = 0; i < inner.length; i++) {
    const char = inner[i] ?? "";
    if (char === "\\") i += 1;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === "{" || char === "(") depth += 1;
    else if (char === "}" || char === ")") depth -= 1;
    else if (char === "," && depth === 0) {
      options.push(inner.slice(from, i));
      from = i + 1;
    }
  }
  return options.length === 0 ? null : [...options, inner.slice(from)];
}

function braceRange(first: string, last: string, by: string | undefined): string[] | null {
  const isNumeric = /^-?\d+$/.test(first) && /^-?\d+$/.test(last);
  if (!isNumeric && (first.length !== 1 || last.length !== 1)) return null;
  const [from, to] = isNumeric
    ? [Number(first), Number(last)]
    : [first.charCodeAt(0), last.charCodeAt(0)];
  const size = Math.max(1, Math.abs(Number(by ?? 1)));
  if (Math.abs(to - from) / size > MAX_BRACE_WORDS) return null;
  const isPadded = [first, last].some((each) => /^-?0\d/.test(each));
  const width = isPadded ? Math.max(first.length, last.length) : 0;
  const all: string[] = [];
  for (let at = from; from <= to ? at <= to : at >= to; at += from <= to ? size : -size)
    all.push(isNumeric ? String(at).padStart(width, "0") : String.fromCharCode(at));
  return all;
}

/** A word as a pattern, in which what is quoted stands for itself; null where a part of it is unknown. */
export function patternChars(shell: Shell, word: Word | undefined): PatternChar[] | null {
  const chars: PatternChar[] = [];
  const add = (text: string, isQuoted: boolean) => {
    for (const char of text.split("")) chars.push({ char, isQuoted });
  };
  for (const part of word ? wordParts(shell, word) : []) {
    if (part.type === "Literal") {
      for (let i = 0; i < part.text.length; i++) {
        const isEscape = part.text[i] === "\\" && i + 1 < part.text.length;
        if (isEscape) i += 1;
        if (!(isEscape && part.text[i] === "\n")) add(part.text[i] ?? "", isEscape);
      }
    } else if (part.type === "Glob" && part.kind === "bracket") {
      add("[", false);
      for (const inner of part.parts) {
        const isQuoted = inner.type === "SingleQuoted" || inner.type === "DoubleQuoted";
        const text = plain(expandParts(shell, [inner], false));
        if (text === null) return null;
        add(text, isQuoted);
      }
      add("]", false);
    } else if (part.type === "Glob" || part.type === "ExtendedGlob") add(part.text, false);
    else {
      const isQuoted = /^(?:SingleQuoted|DoubleQuoted|AnsiCQuoted|LocaleString)$/.test(part.type);
      const text = plain(expandParts(shell, [part], false));
      if (text === null) return null;
      add(text, isQuoted);
    }
  }
  return chars;
}
