import type { ReadCall } from "#families/turn-record.ts";
import { jsonText } from "#families/typed-value.ts";
import { type LosslessValue, parseLosslessAt, skipSpace } from "#json/parse-lossless.ts";

/** As far as a name is certain: `{"name": "…", "arguments": ` in this order, perhaps behind a type. */
const NAMED =
  /^\s*\{\s*(?:"type"\s*:\s*"function"\s*,\s*)?"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"(?:arguments|parameters)"\s*:\s*/;

/**
 * Reads `{"name": …, "arguments": {…}}`, also with `parameters`. A call with a name whose arguments are broken keeps
 * them as raw text: an agent can answer it. Null when it is no call.
 */
export function readJsonCall(body: string): ReadCall | null {
  const value = tryParse(body, 0);
  if (!value) return readNamed(body);
  if (skipSpace(body, value.end) !== body.length) return null;
  return callOf(value, body);
}

/** The call that a JSON value is. */
export function callOf(value: LosslessValue, source: string): ReadCall | null {
  if (value.kind !== "object") return null;
  const fields = new Map(value.entries);
  const name = fields.get("name");
  if (name?.kind !== "string" || name.value === "") return null;
  const given = fields.get("arguments") ?? fields.get("parameters");
  return {
    call: { name: name.value, arguments: given ? source.slice(given.start, given.end) : "{}" },
    isSound: given === undefined || given.kind === "object",
  };
}

/** Arguments that stand alone; nothing means none. */
export function readArguments(name: string, text: string): ReadCall {
  const trimmed = text.trim();
  return {
    call: { name, arguments: trimmed === "" ? "{}" : trimmed },
    isSound: trimmed === "" || (trimmed.startsWith("{") && jsonText(trimmed) !== null),
  };
}

export function tryParse(text: string, at: number): LosslessValue | null {
  try {
    return parseLosslessAt(text, at);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function readNamed(body: string): ReadCall | null {
  const match = NAMED.exec(body);
  const name = match?.[1] ? tryParse(match[1], 0) : null;
  if (!match || name?.kind !== "string" || name.value === "") return null;
  const rest = body.slice(match[0].length).trimEnd();
  const value = tryParse(rest, 0);
  // The outer brace is missing, or there are too many: the arguments themselves are whole.
  const isWhole = value !== null && /^[\s}]*$/.test(rest.slice(value.end));
  const raw = isWhole ? rest.slice(value.start, value.end) : withoutBrace(rest);
  return { call: { name: name.value, arguments: raw }, isSound: false };
}

/** The last closing brace is that of the call around the arguments. */
function withoutBrace(text: string): string {
  return text.endsWith("}") ? text.slice(0, -1).trimEnd() : text;
}
