import { GivenText, isText, plain, type Text } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";

/** A float, which prints differently from the integer of the same size. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class Tuple {
  readonly elements: readonly Value[];
  constructor(elements: readonly Value[]) {
    this.elements = elements;
  }
}

/** What a lookup gave that found nothing. Most uses of it are errors. */
export class Undefined {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
  fail(): never {
    throw new JinjaError(`${this.what} is undefined`);
  }
}

/** What `map`, `select` and their like give: true whatever it holds, without a length, and read once. */
export class Lazy {
  #values: readonly Value[];
  constructor(values: readonly Value[]) {
    this.#values = values;
  }
  take(): readonly Value[] {
    const values = this.#values;
    this.#values = [];
    return values;
  }
  takeFirst(): Value | undefined {
    const [first, ...rest] = this.#values;
    this.#values = rest;
    return first;
  }
}

export type NamedArguments = ReadonlyMap<string, Value>;

export class Callable {
  readonly name: string;
  readonly call: (positional: readonly Value[], named: NamedArguments) => Value;
  constructor(name: string, call: (positional: readonly Value[], named: NamedArguments) => Value) {
    this.name = name;
    this.call = call;
  }
}

/** A `namespace()` (whose attributes a template may set), a `loop`. */
export class Attributes {
  readonly kind: string;
  readonly values: Map<string, Value>;
  constructor(kind: string, values: Map<string, Value>) {
    this.kind = kind;
    this.values = values;
  }
}

/** A dictionary in Python's order: by first insertion, `1`, `1.0` and `True` one key. */
export class Dict {
  readonly #entries = new Map<unknown, [key: Value, value: Value]>();

  get size(): number {
    return this.#entries.size;
  }

  set(key: Value, value: Value): this {
    const held = this.#entries.get(keyOf(key));
    if (held) held[1] = value;
    else this.#entries.set(keyOf(key), [key, value]);
    return this;
  }

  get(key: Value): Value | undefined {
    return this.#entries.get(keyOf(key))?.[1];
  }

  has(key: Value): boolean {
    return this.#entries.has(keyOf(key));
  }

  keys(): Value[] {
    return [...this.#entries.values()].map(([key]) => key);
  }

  entries(): readonly [key: Value, value: Value][] {
    return [...this.#entries.values()];
  }
}

/** An integer is a number where it is safe, else a bigint; other numbers are a Float. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | Float
  | Text
  | Value[]
  | Tuple
  | Dict
  | Undefined
  | Lazy
  | Callable
  | Attributes;

function keyOf(key: Value): unknown {
  if (typeof key === "string") return key;
  if (key instanceof GivenText) return key.text;
  if (typeof key === "boolean") return Number(key);
  if (typeof key === "number" || key === null) return key;
  if (key instanceof Float) return key.value;
  if (typeof key === "bigint") return key;
  if (key instanceof Tuple) return `\u0000${JSON.stringify(key.elements.map(tupleKeyOf))}`;
  throw new JinjaError("a dictionary has a key that can not be one");
}

function tupleKeyOf(element: Value): unknown {
  const key = keyOf(element);
  return typeof key === "bigint" ? `\u0000${key}` : key;
}

/** An integer in its usual form. */
export function integer(value: bigint): number | bigint {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

export const isInteger = (value: Value): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

export function isTrue(value: Value): boolean {
  if (typeof value === "string") return value !== "";
  if (value === null || value instanceof Undefined) return false;
  if (typeof value !== "object") return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Tuple) return value.elements.length > 0;
  return value instanceof Float ? value.value !== 0 : true;
}

/** As an error names it. */
export function typeName(value: Value): string {
  if (isText(value)) return "text";
  if (value === null) return "None";
  if (typeof value === "boolean") return "a boolean";
  if (isInteger(value)) return "an integer";
  if (value instanceof Float) return "a float";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Tuple) return "a tuple";
  if (value instanceof Dict) return "a mapping";
  return value instanceof Undefined ? value.what : "an object";
}

/** Text of a value that must be one, for method names and the like. */
export function expectText(value: Value | undefined, what: string): Text {
  if (value !== undefined && isText(value)) return value;
  if (value instanceof Undefined) value.fail();
  throw new JinjaError(
    `${what} must be text, not ${value === undefined ? "absent" : typeName(value)}`,
  );
}

export const expectPlain = (value: Value | undefined, what: string): string =>
  plain(expectText(value, what));

/** None is a value; what is absent becomes what jinja2 calls undefined. */
export const orUndefined = (value: Value | undefined, what: string): Value =>
  value === undefined ? new Undefined(what) : value;
