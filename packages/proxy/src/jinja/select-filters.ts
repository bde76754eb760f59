import { NO_NAMES } from "#jinja/bind-arguments.ts";
import { findFilter } from "#jinja/filters.ts";
import { iterate } from "#jinja/iterate.ts";
import {
  expectPlain,
  isTrue,
  Lazy,
  type NamedArguments,
  Undefined,
  type Value,
} from "#jinja/python-values.ts";
import { attributeReader } from "#jinja/sequence-filters.ts";
import { findTest } from "#jinja/tests.ts";

type Filter = (value: Value, positional: readonly Value[], named: NamedArguments) => Value;

/** `map`: by `attribute`, or by the filter that is named first. */
const mapped: Filter = (value, positional, named) => {
  const attribute = named.get("attribute");
  if (attribute !== undefined) {
    const read = attributeReader(attribute);
    const other = named.get("default");
    return new Lazy(
      iterate(value).map((element) => {
        const found = read(element);
        return found instanceof Undefined && other !== undefined ? other : found;
      }),
    );
  }
  const [name, ...rest] = positional;
  const filter = findFilter(expectPlain(name, "the filter of map"));
  return new Lazy(iterate(value).map((element) => filter(element, rest, NO_NAMES)));
};

function selecting(keeps: boolean, byAttribute: boolean): Filter {
  return (value, positional) => {
    const [attribute, rest] = byAttribute
      ? [positional[0], positional.slice(1)]
      : [undefined, positional];
    const read = attributeReader(attribute);
    const [name, ...args] = rest;
    const test = name === undefined ? isTrue : findTest(expectPlain(name, "the test"));
    return new Lazy(iterate(value).filter((element) => test(read(element), ...args) === keeps));
  };
}

/** jinja2's filters that take another filter or a test. */
const SELECT_FILTERS: Readonly<Record<string, Filter>> = {
  map: mapped,
  select: selecting(true, false),
  reject: selecting(false, false),
  selectattr: selecting(true, true),
  rejectattr: selecting(false, true),
};

/** Any filter by its name. Throws JinjaError where there is none. */
export function findAnyFilter(name: string): Filter {
  const select = Object.hasOwn(SELECT_FILTERS, name) ? SELECT_FILTERS[name] : undefined;
  return select ?? findFilter(name);
}
