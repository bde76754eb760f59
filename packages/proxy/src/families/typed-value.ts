import { fieldOf } from "#families/tool-schemas.ts";
import { type LosslessValue, parseLossless } from "#json/parse-lossless.ts";

type JsonType = "null" | "integer" | "number" | "boolean" | "object" | "array" | "string";

const ALIASES: Readonly<Record<string, JsonType>> = {
  str: "string",
  text: "string",
  enum: "string",
  int: "integer",
  int32: "integer",
  int64: "integer",
  long: "integer",
  float: "number",
  float32: "number",
  float64: "number",
  double: "number",
  bool: "boolean",
  dict: "object",
  list: "array",
  arr: "array",
};
const DEEPEST_SCHEMA = 16;

const READERS: readonly [type: JsonType, read: (text: string) => string | null][] = [
  ["null", (text) => (/^\s*(?:null|none)\s*$/i.test(text) ? "null" : null)],
  ["integer", (text) => (/^\s*[+-]?\d+\s*$/.test(text) ? numberText(text) : null)],
  ["number", numberText],
  ["boolean", booleanText],
  ["object", jsonText],
  ["array", jsonText],
  ["string", (text) => JSON.stringify(text)],
];

/**
 * JSON text of a parameter that was written as plain text, by its schema: the first of null, integer, number, boolean,
 * object, array and string that the schema allows and the text is. Without a schema it is a string; where nothing
 * fits it is what it is as JSON, else a string (vLLM's `coerce_to_schema_type`, but numbers keep their text).
 */
export function typedValue(text: string, schema: LosslessValue | undefined): string {
  const types = new Set<JsonType>();
  collectTypes(schema, types, 0);
  if (types.size === 0) return JSON.stringify(text);
  for (const [type, read] of READERS) {
    const value = types.has(type) ? read(text) : null;
    if (value !== null) return value;
  }
  return jsonText(text) ?? JSON.stringify(text);
}

/** The text itself where it is JSON, without the white space around it. */
export function jsonText(text: string): string | null {
  try {
    const value = parseLossless(text);
    return text.slice(value.start, value.end);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function collectTypes(
  schema: LosslessValue | undefined,
  types: Set<JsonType>,
  depth: number,
): void {
  if (depth > DEEPEST_SCHEMA) return;
  const type = fieldOf(schema, "type");
  for (const named of type?.kind === "array" ? type.elements : [type]) {
    const found = named?.kind === "string" ? typeNamed(named.value) : null;
    if (found) types.add(found);
  }
  for (const value of elementsOf(schema, "enum")) types.add(typeOf(value));
  for (const key of ["anyOf", "oneOf", "allOf"])
    for (const choice of elementsOf(schema, key)) collectTypes(choice, types, depth + 1);
}

function elementsOf(schema: LosslessValue | undefined, key: string): readonly LosslessValue[] {
  const field = fieldOf(schema, key);
  return field?.kind === "array" ? field.elements : [];
}

function typeNamed(name: string): JsonType | null {
  const key = name.trim().toLowerCase();
  return READERS.find(([type]) => type === key)?.[0] ?? ALIASES[key] ?? null;
}

function typeOf(value: LosslessValue): JsonType {
  if (value.kind === "number") return /^-?\d+$/.test(value.text) ? "integer" : "number";
  if (value.kind === "literal") return value.value === null ? "null" : "boolean";
  return value.kind;
}

function numberText(text: string): string | null {
  const trimmed = text.trim();
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(trimmed)) return trimmed;
  // Forms that Python reads and JSON does not have: "+1", "007", ".5", "5.".
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eE][+-]?\d+)?)$/.exec(trimmed);
  if (!parts || !/\d/.test(trimmed.replace(/[eE].*/, ""))) return null;
  const [, sign, whole = "", fraction = "", exponent = ""] = parts;
  return `${sign === "-" ? "-" : ""}${whole.replace(/^0+/, "") || "0"}${fraction && `.${fraction}`}${exponent}`;
}

function booleanText(text: string): string | null {
  const word = text.trim().toLowerCase();
  if (word === "true" || word === "1") return "true";
  return word === "false" || word === "0" ? "false" : null;
}
