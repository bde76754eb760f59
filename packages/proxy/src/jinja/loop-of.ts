import { JinjaError } from "#jinja/jinja-error.ts";
import { areSame } from "#jinja/python-compare.ts";
import { Attributes, Callable, orUndefined, type Value } from "#jinja/python-values.ts";

/** The `loop` of each round. */
export function loopOf(values: readonly Value[]): { at(index: number): Attributes } {
  const { length } = values;
  let last: readonly Value[] | null = null;
  const changed = new Callable("changed", (seen) => {
    const same = last !== null && areSame(last, seen);
    last = seen;
    return !same;
  });
  const cycleAt = (index: number) =>
    new Callable("cycle", (options) => {
      const chosen = options[index % options.length];
      if (chosen === undefined) throw new JinjaError("no items for cycling given");
      return chosen;
    });
  const outside = (value: Value | undefined) => orUndefined(value, "what is beyond the loop");
  return {
    at: (index) =>
      new Attributes(
        "loop",
        new Map<string, Value>([
          ["index", index + 1],
          ["index0", index],
          ["revindex", length - index],
          ["revindex0", length - index - 1],
          ["first", index === 0],
          ["last", index === length - 1],
          ["length", length],
          ["depth", 1],
          ["depth0", 0],
          ["previtem", outside(values[index - 1])],
          ["nextitem", outside(values[index + 1])],
          ["changed", changed],
          ["cycle", cycleAt(index)],
        ]),
      ),
  };
}
