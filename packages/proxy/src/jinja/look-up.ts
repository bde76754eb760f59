import { charactersOf, codePointOffsets, lengthOf } from "#jinja/code-points.ts";
import { isText, joinTexts, plain, sliceText, type Text } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { isEqual } from "#jinja/python-compare.ts";
import { strOf } from "#jinja/python-text.ts";
import {
  Attributes,
  Callable,
  Dict,
  isInteger,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "#jinja/python-values.ts";
import { TEXT_METHODS } from "#jinja/text-methods.ts";

/** `object.name`: an attribute, else what stands under the key. */
export function getAttribute(object: Value, name: string): Value {
  if (object instanceof Undefined) object.fail();
  const attribute = attributeOf(object, name);
  if (attribute !== undefined) return attribute;
  const item = itemOf(object, name);
  return item === undefined ? missing(object, name) : item;
}

/** `object[key]`: what stands under the key, else an attribute. */
export function getItem(object: Value, key: Value): Value {
  if (object instanceof Undefined) object.fail();
  const item = itemOf(object, key);
  if (item !== undefined) return item;
  const attribute = isText(key) ? attributeOf(object, plain(key)) : undefined;
  return attribute === undefined ? missing(object, plain(strOf(key))) : attribute;
}

const missing = (object: Value, name: string) =>
  new Undefined(`${typeName(object)} has no ${JSON.stringify(name)}, which`);

function itemOf(object: Value, key: Value): Value | undefined {
  if (object instanceof Dict) return isKey(key) ? object.get(key) : undefined;
  if (object instanceof Attributes && object.kind === "namespace")
    return isText(key) ? object.values.get(plain(key)) : undefined;
  const at = typeof key === "boolean" ? Number(key) : key;
  if (!isInteger(at)) return undefined;
  if (isText(object)) return characterAt(object, Number(at));
  const elements = object instanceof Tuple ? object.elements : object;
  return Array.isArray(elements) ? elements.at(Number(at)) : undefined;
}

const isKey = (key: Value) => !(Array.isArray(key) || key instanceof Dict);

function characterAt(text: Text, at: number): Text | undefined {
  if (codePointOffsets(text)) return charactersOf(text).at(at);
  const length = plain(text).length;
  const place = at < 0 ? at + length : at;
  return place < 0 || place >= length ? undefined : sliceText(text, place, place + 1);
}

function attributeOf(object: Value, name: string): Value | undefined {
  if (isText(object)) {
    const method = Object.hasOwn(TEXT_METHODS, name) ? TEXT_METHODS[name] : undefined;
    return method && new Callable(name, (positional, named) => method(object, positional, named));
  }
  if (object instanceof Dict) return dictAttribute(object, name);
  if (object instanceof Attributes) return object.values.get(name);
  if (Array.isArray(object) || object instanceof Tuple)
    return listAttribute(Array.isArray(object) ? object : object.elements, name);
  return undefined;
}

/** What changes a mapping or a list is out of reach in Hugging Face's sandbox, and named like a key it hides the key. */
const DICT_CHANGES = ["clear", "pop", "popitem", "setdefault", "update"];
const LIST_CHANGES = ["append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove"];

const forbidden = (name: string) => new Undefined(`access to ${name} is not safe: it`);

function dictAttribute(dict: Dict, name: string): Value | undefined {
  if (DICT_CHANGES.includes(name)) return forbidden(name);
  switch (name) {
    case "items":
      return new Callable(name, () => dict.entries().map((entry) => new Tuple(entry)));
    case "keys":
      return new Callable(name, () => dict.keys());
    case "values":
      return new Callable(name, () => dict.entries().map(([, value]) => value));
    case "get":
      return new Callable(name, ([key = null, fallback = null]) =>
        dict.has(key) ? (dict.get(key) ?? null) : fallback,
      );
    case "copy":
      return new Callable(name, () => {
        const copy = new Dict();
        for (const [key, value] of dict.entries()) copy.set(key, value);
        return copy;
      });
    default:
      return undefined;
  }
}

function listAttribute(elements: readonly Value[], name: string): Value | undefined {
  if (LIST_CHANGES.includes(name)) return forbidden(name);
  if (name === "count")
    return new Callable(
      name,
      ([sought = null]) => elements.filter((element) => isEqual(element, sought)).length,
    );
  if (name === "index")
    return new Callable(name, ([sought = null]) => {
      const at = elements.findIndex((element) => isEqual(element, sought));
      if (at < 0) throw new JinjaError("a list has no such element");
      return at;
    });
  return name === "copy" ? new Callable(name, () => [...elements]) : undefined;
}

/** `object[start:stop:step]`, absent bounds undefined. */
export function getSlice(object: Value, bounds: readonly (Value | undefined)[]): Value {
  if (object instanceof Undefined) object.fail();
  const elements = object instanceof Tuple ? object.elements : object;
  const [start, stop, step] = bounds.map((bound) => (bound === null ? undefined : bound));
  const places = [start, stop, step].every((bound) => bound === undefined || isInteger(bound))
    ? { start: numberOrNull(start), stop: numberOrNull(stop), step: numberOrNull(step) ?? 1 }
    : null;
  if (!places || !(isText(elements) || Array.isArray(elements))) return missing(object, "slice");
  if (places.step === 0) throw new JinjaError("a slice has a step of zero");
  if (isText(elements)) return sliceOfText(elements, places);
  const slice = indices(elements.length, places).map((at) => elements[at] ?? null);
  return object instanceof Tuple ? new Tuple(slice) : slice;
}

const numberOrNull = (bound: Value | undefined) => (bound === undefined ? null : Number(bound));

interface Places {
  start: number | null;
  stop: number | null;
  step: number;
}

function sliceOfText(text: Text, places: Places): Text {
  const offsets = codePointOffsets(text);
  const length = lengthOf(text);
  if (places.step !== 1) {
    const characters = charactersOf(text);
    return joinTexts(indices(length, places).map((at) => characters[at] ?? ""));
  }
  const unit = (at: number) => (offsets ? (offsets[at] ?? 0) : at);
  const [start, stop] = [
    clamp(places.start ?? 0, length, 0),
    clamp(places.stop ?? length, length, 0),
  ];
  return sliceText(text, unit(start), unit(Math.max(start, stop)));
}

function clamp(at: number, length: number, low: number): number {
  return Math.min(length + low, Math.max(low, at < 0 ? at + length : at));
}

function indices(length: number, { start, stop, step }: Places): number[] {
  const places: number[] = [];
  if (step > 0) {
    const end = clamp(stop ?? length, length, 0);
    for (let at = clamp(start ?? 0, length, 0); at < end; at += step) places.push(at);
  } else {
    const end = stop === null ? -1 : clamp(stop, length, -1);
    for (let at = clamp(start ?? length - 1, length, -1); at > end; at += step) places.push(at);
  }
  return places;
}
