import type { ReadCall } from "#families/turn-record.ts";

/** Writes of a parameter, with the groups `name` and, where the grammar says it, `string` ("true" or "false"). */
export interface ParameterTags {
  /** Global. */
  open: RegExp;
  close: string;
  /** One line break at each end belongs to the tags. */
  isPadded: boolean;
}

/**
 * Reads a call's parameters from `body`; `jsonOf` gives the JSON text of each. A value ends at its closing tag or,
 * where that is missing, at the next parameter; a parameter that is given twice keeps its last value.
 */
export function readTaggedParameters(
  name: string,
  body: string,
  tags: ParameterTags,
  jsonOf: (parameter: string, text: string, isString: string | undefined) => string,
): ReadCall {
  const starts = [...body.matchAll(tags.open)];
  const values = new Map<string, string>();
  const rest = [body.slice(0, starts[0]?.index ?? body.length)];
  let isSound = true;
  for (const [i, start] of starts.entries()) {
    const segment = body.slice(start.index + start[0].length, starts[i + 1]?.index ?? body.length);
    const close = segment.indexOf(tags.close);
    if (close < 0) isSound = false;
    else rest.push(segment.slice(close + tags.close.length));
    const text = close < 0 ? segment : segment.slice(0, close);
    const { name: parameter = "", string } = start.groups ?? {};
    const trimmed = unquoted(parameter.trim());
    values.set(trimmed, jsonOf(trimmed, tags.isPadded ? unpadded(text) : text, string));
  }
  if (rest.some((text) => text.trim() !== "")) isSound = false;
  const entries = [...values].map(([key, value]) => `${JSON.stringify(key)}: ${value}`);
  return { call: { name, arguments: `{${entries.join(", ")}}` }, isSound };
}

/** MiniMax puts names of parameters in quotes of either kind, which are no part of the name. */
export function unquoted(name: string): string {
  const first = name.charAt(0);
  const isQuoted = name.length > 1 && (first === '"' || first === "'") && name.endsWith(first);
  return isQuoted ? name.slice(1, -1).trim() : name;
}

function unpadded(text: string): string {
  const start = text.startsWith("\n") ? 1 : 0;
  const end = text.endsWith("\n") && text.length > start ? text.length - 1 : text.length;
  return text.slice(start, end);
}
