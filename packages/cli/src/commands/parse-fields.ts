import { CliError, EXIT } from "#exit-code.ts";

/** `name=value` words as an input. A value is JSON where it can be, else text; a name that stands twice makes a list. */
export function parseFields(words: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 1) throw new CliError(EXIT.usage, `${word}: give name=value.`);
    const name = word.slice(0, at);
    const value = readValue(word.slice(at + 1));
    const before = fields[name];
    fields[name] = name in fields ? [before, value].flat() : value;
  }
  return fields;
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
