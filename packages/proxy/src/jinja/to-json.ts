import { compareTexts } from "#jinja/code-points.ts";
import { GivenText, givenText, isText, plain, type Text, TextBuilder } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { floatText } from "#jinja/python-text.ts";
import { Dict, Float, Tuple, typeName, Undefined, type Value } from "#jinja/python-values.ts";

export interface JsonLayout {
  ensureAscii: boolean;
  /** What one level is indented by; null for one line. */
  indent: string | null;
  separators: readonly [item: Text, key: Text];
  sortKeys: boolean;
}

const SURROGATE = /[\ud800-\udfff]/;
const NOT_ASCII = /[^ -~]/g;

/** `json.dumps`, as Hugging Face's `tojson` filter calls it: spaces after separators, no HTML escapes. */
export function toJson(value: Value, layout: JsonLayout): Text {
  const builder = new TextBuilder();
  write(builder, value, layout, layout.indent === null ? null : "\n");
  return builder.build();
}

function write(out: TextBuilder, value: Value, layout: JsonLayout, newline: string | null): void {
  if (isText(value)) out.add(stringText(value, layout));
  else if (value === null) out.add("null");
  else if (typeof value === "object") writeObject(out, value, layout, newline);
  else out.add(String(value));
}

function writeObject(
  out: TextBuilder,
  value: Exclude<Value, Text | null | boolean | number | bigint>,
  layout: JsonLayout,
  newline: string | null,
): void {
  if (value instanceof Float) out.add(jsonFloat(value.value));
  else if (value instanceof Dict) writeDict(out, value, layout, newline);
  else if (Array.isArray(value)) writeList(out, value, layout, newline);
  else if (value instanceof Tuple) writeList(out, value.elements, layout, newline);
  else if (value instanceof Undefined) value.fail();
  else throw new JinjaError(`${typeName(value)} is not JSON serializable`);
}

/** `[` or `{`, each member on its own line where lines are wanted, and the closing mark. */
function writeMembers<T>(
  out: TextBuilder,
  members: readonly T[],
  [open, close]: readonly [string, string],
  layout: JsonLayout,
  newline: string | null,
  writeMember: (member: T, inner: string | null) => void,
): void {
  const inner = newline === null ? null : newline + layout.indent;
  out.add(open);
  for (const [i, member] of members.entries()) {
    if (i > 0) out.add(layout.separators[0]);
    out.add(inner ?? "");
    writeMember(member, inner);
  }
  out.add(members.length > 0 ? (newline ?? "") : "").add(close);
}

function writeList(
  out: TextBuilder,
  elements: readonly Value[],
  layout: JsonLayout,
  newline: string | null,
): void {
  writeMembers(out, elements, ["[", "]"], layout, newline, (element, inner) =>
    write(out, element, layout, inner),
  );
}

function writeDict(out: TextBuilder, dict: Dict, layout: JsonLayout, newline: string | null): void {
  const entries = dict.entries().map(([key, value]): [Text, Value] => [keyText(key), value]);
  if (layout.sortKeys) entries.sort(([a], [b]) => compareTexts(plain(a), plain(b)));
  writeMembers(out, entries, ["{", "}"], layout, newline, ([key, value], inner) => {
    out.add(stringText(key, layout)).add(layout.separators[1]);
    write(out, value, layout, inner);
  });
}

function keyText(key: Value): Text {
  if (isText(key)) return key;
  if (key instanceof Float) return jsonFloat(key.value);
  if (key === null || typeof key !== "object") return String(key);
  throw new JinjaError(`${typeName(key)} can not be a key in JSON`);
}

function jsonFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "-Infinity" : "Infinity";
  return floatText(value);
}

function stringText(value: Text, layout: JsonLayout): Text {
  const text = plain(value);
  let quoted = SURROGATE.test(text) ? quotedByUnit(text) : JSON.stringify(text);
  if (layout.ensureAscii)
    quoted = quoted.replace(
      NOT_ASCII,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  if (!(value instanceof GivenText)) return quoted;
  return new TextBuilder()
    .add('"')
    .add(givenText(quoted.slice(1, -1)))
    .add('"')
    .build();
}

/** `JSON.stringify` escapes surrogates that stand alone; Python does not. */
function quotedByUnit(text: string): string {
  return `"${[...text]
    .map((character) =>
      SURROGATE.test(character) ? character : JSON.stringify(character).slice(1, -1),
    )
    .join("")}"`;
}
