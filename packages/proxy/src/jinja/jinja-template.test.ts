import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GivenText, givenText, plain, sliceText, type Text } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { JinjaTemplate } from "#jinja/jinja-template.ts";
import { parseLossless } from "#json/parse-lossless.ts";
import { givenLossless } from "#renderer/given-values.ts";

const NOW = new Date(2026, 1, 3, 4, 5, 6);
const PATH = join(import.meta.dirname, "__fixtures__/snippets.jsonl");

/** Recorded from `transformers` 5.23.0 by the render-parity suite, which records them anew; null: refused. */
const SNIPPETS = readFileSync(PATH, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as { source: string; values: object; text: string | null });

const render = (source: string, values: object) =>
  new JinjaTemplate(source).render(
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        givenLossless(parseLossless(JSON.stringify(value))),
      ]),
    ),
    NOW,
  );

it("renders what Python renders, and refuses what it refuses", () => {
  for (const { source, values, text } of SNIPPETS) {
    if (text === null) expect(() => render(source, values), source).toThrow(JinjaError);
    else expect(plain(render(source, values)), source).toBe(text);
  }
});

/** The text with what a client gave in brackets. */
function shown(text: Text): string {
  if (!(text instanceof GivenText)) return text;
  let out = "";
  let at = 0;
  for (let i = 0; i < text.spans.length; i += 2) {
    const [start = 0, end = 0] = text.spans.slice(i, i + 2);
    out += `${text.text.slice(at, start)}[${text.text.slice(start, end)}]`;
    at = end;
  }
  return out + text.text.slice(at);
}

describe("given text", () => {
  it.each([
    ["{{ '<' + x + '>' }}", "<[ab c ]>"],
    ["{{ '<' ~ (x | trim) ~ '>' }}", "<[ab c]>"],
    ["{{ x.split(' ')[1] }}!", "[c]!"],
    ["{{ (x ~ '-' ~ x)[2:8] }}", "[ c ]-[ab]"],
    ["{{ x | upper }}", "[AB C ]"],
    ["{{ x.replace('b', '-') }}", "[a]-[ c ]"],
    ["{{ '{}|{}'.format(x, 1) }}", "[ab c ]|1"],
    ["{{ '%s.' % x }}", "[ab c ]."],
    ["{{ {'k': x} | tojson }}", '{"k": "[ab c ]"}'],
    ["{{ [x] }}", "['[ab c ]']"],
    ["{{ [x, 'y'] | join(', ') }}", "[ab c ], y"],
    ["{% for c in x %}{{ c }}{{ '.' }}{% endfor %}", "[a].[b].[ ].[c].[ ]."],
    ["{% macro m(v) %}({{ v }}){% endmacro %}{{ m(x) }}", "([ab c ])"],
    ["{% set y %}{{ x }}!{% endset %}{{ y }}", "[ab c ]!"],
    ["{% if x == 'ab c ' and 'b' in x %}same{% endif %}", "same"],
    ["{{ x | length }}", "5"],
  ])("stays marked through %s", (source, expected) => {
    expect(shown(render(source, { x: "ab c " }))).toBe(expected);
  });

  it("keeps its marks whatever is cut from it", () => {
    void fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(20), fc.nat(20), (own, given, start, length) => {
        const text = new JinjaTemplate("{{ own }}{{ given }}{{ own }}").render({
          own,
          given: givenText(given),
        });
        const cut = sliceText(text, start, start + length);
        const isGiven = (at: number) => at >= own.length && at < own.length + given.length;
        const expected = [...plain(text)].length === plain(text).length ? plain(cut).length : null;
        const marks = cut instanceof GivenText ? cut.spans : [];
        for (let i = 0; i < (expected ?? 0); i++) {
          const marked = marks.some(
            (from, k) => k % 2 === 0 && i >= from && i < (marks[k + 1] ?? 0),
          );
          expect(marked).toBe(isGiven(start + i));
        }
      }),
    );
  });
});
