import { integerArgument } from "#jinja/bind-arguments.ts";
import { compileStatements, type Execute } from "#jinja/compile-statements.ts";
import { plain, type Text, TextBuilder } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { parseTemplate } from "#jinja/parse-template.ts";
import { strOf } from "#jinja/python-text.ts";
import {
  Attributes,
  Callable,
  Dict,
  expectPlain,
  type NamedArguments,
  type Value,
} from "#jinja/python-values.ts";
import { Scope } from "#jinja/scope.ts";
import { strftime } from "#jinja/strftime.ts";

const LONGEST_RANGE = 100_000;

/**
 * A chat template, compiled: what `transformers` renders by jinja2 with `trim_blocks`, `lstrip_blocks`, loop controls,
 * its `tojson`, `raise_exception`, `strftime_now` and `generation` tag, and Python's values.
 */
export class JinjaTemplate {
  readonly #execute: Execute;

  /** Throws JinjaError for what can not be compiled. */
  constructor(source: string) {
    this.#execute = compileStatements(parseTemplate(source));
  }

  /** `now` is what `strftime_now` tells. Throws JinjaError where the template refuses. */
  render(values: Readonly<Record<string, Value>>, now: Date = new Date()): Text {
    const scope = new Scope(null);
    for (const [name, value] of Object.entries(GLOBALS)) scope.set(name, value);
    scope.set(
      "strftime_now",
      new Callable("strftime_now", ([format]) =>
        strftime(expectPlain(format, "a date's form"), now),
      ),
    );
    for (const [name, value] of Object.entries(values)) scope.set(name, value);
    const out = new TextBuilder();
    this.#execute(new Scope(scope), out);
    return out.build();
  }
}

const GLOBALS: Readonly<Record<string, Value>> = {
  range: new Callable("range", (positional) => range(positional)),
  namespace: new Callable("namespace", (positional, named) => {
    const values = dictOf(positional, named).entries();
    return new Attributes(
      "namespace",
      new Map(values.map(([name, value]) => [plain(strOf(name)), value])),
    );
  }),
  dict: new Callable("dict", dictOf),
  raise_exception: new Callable("raise_exception", ([message = ""]) => {
    throw new JinjaError(plain(strOf(message)));
  }),
};

function dictOf(positional: readonly Value[], named: NamedArguments): Dict {
  const dict = new Dict();
  const [base] = positional;
  if (base instanceof Dict) for (const [key, value] of base.entries()) dict.set(key, value);
  for (const [name, value] of named) dict.set(name, value);
  return dict;
}

function range(positional: readonly Value[]): Value[] {
  const [first = 0, second, third] = positional.map((value) => integerArgument(value, 0));
  const [start, stop, step] = second === undefined ? [0, first, 1] : [first, second, third ?? 1];
  if (step === 0) throw new JinjaError("range needs a step");
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > LONGEST_RANGE) throw new JinjaError("the template counts too far");
  return Array.from({ length }, (_, i) => start + i * step);
}
