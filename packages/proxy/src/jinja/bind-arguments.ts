import { JinjaError } from "#jinja/jinja-error.ts";
import {
  isInteger,
  type NamedArguments,
  typeName,
  Undefined,
  type Value,
} from "#jinja/python-values.ts";

export const NO_NAMES: NamedArguments = new Map();

/** Python's binding of arguments to parameters: the values in the order of `names`, absent ones undefined. */
export function bindArguments(
  what: string,
  names: readonly string[],
  positional: readonly Value[],
  named: NamedArguments,
): (Value | undefined)[] {
  if (positional.length > names.length)
    throw new JinjaError(`${what} takes at most ${names.length} arguments`);
  const bound: (Value | undefined)[] = names.map((_, i) => positional[i]);
  for (const [name, value] of named) {
    const at = names.indexOf(name);
    if (at < 0 || at < positional.length)
      throw new JinjaError(`${what} can not take the argument ${name}`);
    bound[at] = value;
  }
  return bound;
}

/** An argument that must be an integer; `fallback` where it is absent or None. */
export function integerArgument(value: Value | undefined, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  if (typeof value === "boolean") return Number(value);
  if (isInteger(value)) return Number(value);
  if (value instanceof Undefined) value.fail();
  throw new JinjaError(`an integer is needed, not ${typeName(value)}`);
}
