import { compareTexts } from "#jinja/code-points.ts";
import { isText, plain } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { Dict, Float, Lazy, Tuple, typeName, Undefined, type Value } from "#jinja/python-values.ts";

/** A number that JavaScript can compare, booleans too; null for what is none. */
function numberOf(value: Value): number | bigint | null {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return Number(value);
  return value instanceof Float ? value.value : null;
}

/** `left == right`. */
export function isEqual(left: Value, right: Value): boolean {
  if (isText(left) || isText(right))
    return isText(left) && isText(right) && plain(left) === plain(right);
  const [a, b] = [numberOf(left), numberOf(right)];
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint equals the number of its size only loosely.
  if (a !== null || b !== null) return a !== null && b !== null && a == b;
  if (Array.isArray(left) && Array.isArray(right)) return areSame(left, right);
  if (left instanceof Tuple && right instanceof Tuple)
    return areSame(left.elements, right.elements);
  if (left instanceof Dict && right instanceof Dict) return sameEntries(left, right);
  if (left instanceof Undefined) return right instanceof Undefined;
  return left === right;
}

export function areSame(left: readonly Value[], right: readonly Value[]): boolean {
  return left.length === right.length && left.every((value, i) => isEqual(value, right[i] ?? null));
}

function sameEntries(left: Dict, right: Dict): boolean {
  return (
    left.size === right.size &&
    left.entries().every(([key, value]) => right.has(key) && isEqual(value, right.get(key) ?? null))
  );
}

/** Negative, zero or positive. Throws where Python would not order the two. */
export function compare(left: Value, right: Value): number {
  if (isText(left) && isText(right)) return compareTexts(plain(left), plain(right));
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== null && b !== null) return a < b ? -1 : Number(a > b);
  const [first, second] = [elementsOf(left), elementsOf(right)];
  if (first && second && Array.isArray(left) === Array.isArray(right))
    return compareAll(first, second);
  if (left instanceof Undefined) left.fail();
  if (right instanceof Undefined) right.fail();
  throw new JinjaError(`${typeName(left)} and ${typeName(right)} have no order`);
}

const elementsOf = (value: Value): readonly Value[] | null => {
  if (Array.isArray(value)) return value;
  return value instanceof Tuple ? value.elements : null;
};

function compareAll(left: readonly Value[], right: readonly Value[]): number {
  for (const [i, value] of left.entries()) {
    const other = right[i];
    if (other === undefined) return 1;
    if (!isEqual(value, other)) return compare(value, other);
  }
  return left.length - right.length;
}

/** `needle in hay`. */
export function contains(hay: Value, needle: Value): boolean {
  if (isText(hay)) {
    if (isText(needle)) return plain(hay).includes(plain(needle));
    throw new JinjaError(`text is searched for ${typeName(needle)}`);
  }
  if (hay instanceof Dict) return hay.has(needle);
  if (hay instanceof Undefined) return false;
  const elements = hay instanceof Lazy ? hay.take() : elementsOf(hay);
  if (elements) return elements.some((element) => isEqual(element, needle));
  throw new JinjaError(`${typeName(hay)} can not be searched`);
}
