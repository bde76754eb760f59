import { charactersOf } from "#jinja/code-points.ts";
import { isText } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { Dict, Lazy, Tuple, typeName, Undefined, type Value } from "#jinja/python-values.ts";

/** What `for` goes through: keys of a mapping, characters of text, nothing of what is undefined. */
export function iterate(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Tuple) return value.elements;
  if (value instanceof Dict) return value.keys();
  if (isText(value)) return charactersOf(value);
  if (value instanceof Lazy) return value.take();
  if (value instanceof Undefined) return [];
  throw new JinjaError(`${typeName(value)} is not iterable`);
}
