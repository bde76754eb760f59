import { bindArguments, integerArgument } from "#jinja/bind-arguments.ts";
import { charactersOf, codePointOffsets, lengthOf } from "#jinja/code-points.ts";
import { formatFields } from "#jinja/format-text.ts";
import { joinTexts, like, plain, sliceText, type Text } from "#jinja/given-text.ts";
import { iterate } from "#jinja/iterate.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import {
  expectPlain,
  expectText,
  type NamedArguments,
  Tuple,
  type Value,
} from "#jinja/python-values.ts";
import { splitLines, splitText, splitTextFromRight } from "#jinja/split-text.ts";
import { isSpace, stripText } from "#jinja/strip-text.ts";

type Method = (self: Text, positional: readonly Value[], named: NamedArguments) => Value;

/** A method whose parameters have these names. */
const method =
  (names: readonly string[], run: (self: Text, ...bound: (Value | undefined)[]) => Value): Method =>
  (self, positional, named) =>
    run(self, ...bindArguments("a method of text", names, positional, named));

const characters = (value: Value | undefined): string | null =>
  value === undefined || value === null ? null : expectPlain(value, "the set of characters");

const separator = (value: Value | undefined): string | null =>
  value === undefined || value === null ? null : expectPlain(value, "the separator");

export const capitalised = (text: string): string => {
  const [first = "", ...rest] = text;
  return first.toUpperCase() + rest.join("").toLowerCase();
};

const titled = (text: string): string => text.replace(/\p{L}+/gu, (word) => capitalised(word));

/** `str.replace`; `limit` -1 replaces all. */
export function replaceText(source: Text, old: string, fresh: Text, limit: number): Text {
  if (limit === 0) return source;
  if (old !== "") return joinTexts(splitText(source, old, limit), fresh);
  const pieces: Text[] = ["", ...charactersOf(source), ""];
  if (limit < 0 || limit >= pieces.length - 1) return joinTexts(pieces, fresh);
  const rest = joinTexts(pieces.slice(limit));
  return joinTexts([...pieces.slice(0, limit), rest], fresh);
}

function startsOrEnds(name: "startsWith" | "endsWith"): Method {
  return method(["prefix", "start", "end"], (self, given, start, end) => {
    const text = plain(sliceCodePoints(self, start, end));
    const options = given instanceof Tuple ? given.elements : [given];
    return options.some((option) => text[name](expectPlain(option, `what ${name} looks for`)));
  });
}

function sliceCodePoints(self: Text, start: Value | undefined, end: Value | undefined): Text {
  if (start === undefined && end === undefined) return self;
  const length = lengthOf(self);
  const place = (value: Value | undefined, fallback: number) => {
    const at = integerArgument(value, fallback);
    return Math.min(length, at < 0 ? Math.max(0, at + length) : at);
  };
  const offsets = codePointOffsets(self);
  const unit = (at: number) => (offsets ? (offsets[at] ?? 0) : at);
  return sliceText(self, unit(place(start, 0)), unit(place(end, length)));
}

/** Index in code points of what is looked for, or -1. */
function find(self: Text, sought: Value | undefined, last: boolean): number {
  const text = plain(self);
  const wanted = expectPlain(sought, "what is looked for");
  const at = last ? text.lastIndexOf(wanted) : text.indexOf(wanted);
  return at < 0 ? at : lengthOf(text.slice(0, at));
}

function found(at: number): number {
  if (at < 0) throw new JinjaError("substring not found");
  return at;
}

function partition(self: Text, sought: Value | undefined, last: boolean): Tuple {
  const wanted = expectText(sought, "the separator");
  const text = plain(self);
  const at = last ? text.lastIndexOf(plain(wanted)) : text.indexOf(plain(wanted));
  if (at < 0) return new Tuple(last ? ["", "", self] : [self, "", ""]);
  const end = at + plain(wanted).length;
  return new Tuple([sliceText(self, 0, at), wanted, sliceText(self, end, text.length)]);
}

function padded(
  self: Text,
  width: Value | undefined,
  fill: Value | undefined,
  side: "left" | "right" | "center",
): Text {
  const wanted = integerArgument(width, 0);
  const missing = wanted - lengthOf(self);
  if (missing <= 0) return self;
  const mark = fill === undefined ? " " : expectPlain(fill, "the fill character");
  // Python's own rule for what is left over when the padding is odd.
  const half = Math.floor(missing / 2) + (missing & wanted & 1);
  const before = side === "left" ? 0 : side === "right" ? missing : half;
  return joinTexts([mark.repeat(before), self, mark.repeat(missing - before)]);
}

const matchesAll = (pattern: RegExp): Method =>
  method([], (self) => plain(self) !== "" && pattern.test(plain(self)));

/** The methods of `str` that templates use. */
export const TEXT_METHODS: Readonly<Record<string, Method>> = {
  strip: method(["chars"], (self, chars) => stripText(self, characters(chars))),
  lstrip: method(["chars"], (self, chars) => stripText(self, characters(chars), { right: false })),
  rstrip: method(["chars"], (self, chars) => stripText(self, characters(chars), { left: false })),
  split: method(["sep", "maxsplit"], (self, sep, limit) =>
    splitText(self, separator(sep), integerArgument(limit, -1)),
  ),
  rsplit: method(["sep", "maxsplit"], (self, sep, limit) =>
    splitTextFromRight(self, separator(sep), integerArgument(limit, -1)),
  ),
  splitlines: method(["keepends"], (self, keep) => splitLines(self, keep === true)),
  partition: method(["sep"], (self, sep) => partition(self, sep, false)),
  rpartition: method(["sep"], (self, sep) => partition(self, sep, true)),
  startswith: startsOrEnds("startsWith"),
  endswith: startsOrEnds("endsWith"),
  removeprefix: method(["prefix"], (self, prefix) => {
    const wanted = expectPlain(prefix, "the prefix");
    const text = plain(self);
    return text.startsWith(wanted) ? sliceText(self, wanted.length, text.length) : self;
  }),
  removesuffix: method(["suffix"], (self, suffix) => {
    const wanted = expectPlain(suffix, "the suffix");
    const text = plain(self);
    return wanted !== "" && text.endsWith(wanted)
      ? sliceText(self, 0, text.length - wanted.length)
      : self;
  }),
  upper: method([], (self) => like(self, plain(self).toUpperCase())),
  lower: method([], (self) => like(self, plain(self).toLowerCase())),
  title: method([], (self) => like(self, titled(plain(self)))),
  capitalize: method([], (self) => like(self, capitalised(plain(self)))),
  replace: method(["old", "new", "count"], (self, old, fresh, count) =>
    replaceText(
      self,
      expectPlain(old, "what is replaced"),
      expectText(fresh, "the replacement"),
      integerArgument(count, -1),
    ),
  ),
  find: method(["sub"], (self, sub) => find(self, sub, false)),
  rfind: method(["sub"], (self, sub) => find(self, sub, true)),
  index: method(["sub"], (self, sub) => found(find(self, sub, false))),
  rindex: method(["sub"], (self, sub) => found(find(self, sub, true))),
  count: method(["sub"], (self, sub) => {
    const wanted = expectPlain(sub, "what is counted");
    return wanted === "" ? lengthOf(self) + 1 : splitText(self, wanted, -1).length - 1;
  }),
  join: method(["iterable"], (self, values) =>
    joinTexts(
      iterate(values ?? null).map((value) => expectText(value, "what is joined")),
      self,
    ),
  ),
  format: formatFields,
  ljust: method(["width", "fill"], (self, width, fill) => padded(self, width, fill, "left")),
  rjust: method(["width", "fill"], (self, width, fill) => padded(self, width, fill, "right")),
  center: method(["width", "fill"], (self, width, fill) => padded(self, width, fill, "center")),
  zfill: method(["width"], (self, width) => {
    const text = plain(self);
    const sign = /^[+-]/.exec(text)?.[0] ?? "";
    return like(
      self,
      sign + text.slice(sign.length).padStart(integerArgument(width, 0) - sign.length, "0"),
    );
  }),
  isdigit: matchesAll(/^\p{Nd}+$/u),
  isdecimal: matchesAll(/^\p{Nd}+$/u),
  isnumeric: matchesAll(/^\p{N}+$/u),
  isalpha: matchesAll(/^\p{L}+$/u),
  isalnum: matchesAll(/^[\p{L}\p{N}]+$/u),
  isspace: method([], (self) => plain(self) !== "" && [...plain(self)].every(isSpace)),
  isupper: method([], (self) => /\p{Lu}/u.test(plain(self)) && !/\p{Ll}/u.test(plain(self))),
  islower: method([], (self) => /\p{Ll}/u.test(plain(self)) && !/\p{Lu}/u.test(plain(self))),
};
