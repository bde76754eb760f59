import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnFilter, withColumnFilter } from "#filter/column-filter.ts";
import { completeFilter } from "#filter/complete-filter.ts";
import { ROLLOUT_FIELDS } from "#filter/filter-fields.ts";
import { type Filter, FilterError } from "#filter/filter-tree.ts";
import { operatorsOf, parseFilter } from "#filter/parse-filter.ts";
import { printFilter } from "#filter/print-filter.ts";

const parse = (text: string) => parseFilter(text, ROLLOUT_FIELDS);
function faultOf(text: string): FilterError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
  throw new Error(`${text} was read`);
}

describe("a filter", () => {
  it("reads the whole language", () => {
    const text =
      'reward < 0.5 and reason = "timeout" and step in 100..120 and task ~ "django" and tag = suspect and not (flag != none or mode in (eval))';
    expect(parse(text)).toEqual({
      kind: "and",
      parts: [
        { kind: "compare", field: "reward", op: "<", value: 0.5 },
        { kind: "compare", field: "reason", op: "=", value: "timeout" },
        { kind: "range", field: "step", from: 100, to: 120 },
        { kind: "compare", field: "task", op: "~", value: "django" },
        { kind: "compare", field: "tag", op: "=", value: "suspect" },
        {
          kind: "not",
          part: {
            kind: "or",
            parts: [
              { kind: "compare", field: "flag", op: "!=", value: null },
              { kind: "among", field: "mode", values: ["eval"] },
            ],
          },
        },
      ],
    });
    expect(parse("  ")).toBeNull();
  });

  it.each([
    ["rewrad < 1", 1, 'Unknown field "rewrad". Did you mean reward?'],
    ['reward < 1 and flag = "test-edit"', 23, "Did you mean tests-edited?"],
    ["reward < ", 10, "Expected a number for reward."],
    ["reward ~ 1", 8, "~ does not work on reward. Use = != < <= > >= or in."],
    ["task ~ 'x", 8, "Missing closing '."],
    ["step in 9..3", 12, "The range ends before its start, 9."],
    ["(step = 1", 10, "Expected ) here."],
    ["step = 1 task", 10, "Expected and, or, or the end."],
    ["django", 1, 'Unknown field "django". Use one of reward, reason'],
    ["turns = none", 9, "turns always has a value, so none does not apply."],
    ["step = 1 % 2", 10, "Unexpected %. Put text in quotes."],
    ["status = stuck", 10, 'Unknown value "stuck" for status. Use one of queued, running'],
    ["step = 1e999", 8, "This number is too large."],
  ])("%s says where its fault is", (text, column, why) => {
    const fault = faultOf(text);
    expect(fault.message).toContain(why);
    expect(fault.column).toBe(column);
  });

  it("refuses what is too deep or too long", () => {
    expect(faultOf("(".repeat(1000)).message).toContain("can nest at most");
    expect(faultOf("not ".repeat(900)).message).toContain("can nest at most");
    expect(faultOf(`${"step=1 or ".repeat(300)}step=1`).message).toContain(
      "at most 200 conditions",
    );
    expect(faultOf("x".repeat(5000)).message).toContain("at most 4000 characters");
  });

  it("throws nothing but its own error on any text", () => {
    const words = fc.constantFrom(
      ...["and", "or", "not", "in", "none", "(", ")", "..", ",", "=", "!=", "<", "~", '"', "'"],
      ...["reward", "reason", "step", "tag", "flag", "timeout", "0.5", "-3", "1e400", "\\", "😀"],
    );
    const near = fc.array(words, { maxLength: 14 }).map((parts) => parts.join(" "));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), near), (text) => {
        for (let caret = 0; caret <= text.length; caret += 3)
          completeFilter(text, caret, ROLLOUT_FIELDS);
        try {
          const filter = parse(text);
          expect(parse(printFilter(filter))).toEqual(filter);
        } catch (error) {
          if (!(error instanceof FilterError)) throw error;
          expect(error.column).toBeGreaterThanOrEqual(1);
          expect(error.column).toBeLessThanOrEqual(text.length + 1);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("prints any tree as a text that reads as the same tree", () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0);
    const leaf = fc.constantFrom(...ROLLOUT_FIELDS).chain((field): fc.Arbitrary<Filter> => {
      const { kind, name } = field;
      const choices = "choices" in field ? field.choices : undefined;
      const value: fc.Arbitrary<string | number> =
        kind === "number"
          ? number
          : choices
            ? fc.constantFrom(...choices)
            : fc.string({ unit: "binary" });
      const compare = fc.record({
        kind: fc.constant("compare" as const),
        field: fc.constant(name),
        op: fc.constantFrom(...operatorsOf(field)),
        value,
      });
      const among = fc.record({
        kind: fc.constant("among" as const),
        field: fc.constant(name),
        values: fc.array(value, { minLength: 1, maxLength: 4 }),
      });
      if (kind !== "number") return fc.oneof(compare, among);
      const range = fc.tuple(number, number).map(
        ([a, b]): Filter => ({
          kind: "range",
          field: name,
          from: Math.min(a, b),
          to: Math.max(a, b),
        }),
      );
      return fc.oneof(compare, among, range);
    });
    const { tree } = fc.letrec<{ tree: Filter }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.record({ kind: fc.constant("not" as const), part: tie("tree") }),
        fc
          .tuple(fc.constantFrom("and" as const, "or" as const), tie("tree"), tie("tree"))
          .map(([kind, ...parts]) => flat(kind, parts)),
      ),
    }));
    fc.assert(
      fc.property(tree, (filter) => {
        const text = printFilter(filter);
        if (text.length <= 4000) expect(parse(text)).toEqual(filter);
      }),
      { numRuns: 1000 },
    );
  });
});

function flat(kind: "and" | "or", parts: Filter[]): Filter {
  return { kind, parts: parts.flatMap((part) => (part.kind === kind ? part.parts : [part])) };
}

it("a column's filter is read from the text and written into it", () => {
  const filter = parse("reward < 0.5 and (step = 1 or step = 2)");
  expect(columnFilter(filter, "reward")).toMatchObject({ op: "<", value: 0.5 });
  expect(columnFilter(filter, "step")).toBeNull();
  const leaf = { kind: "compare", field: "reward", op: ">=", value: 1 } as const;
  expect(printFilter(withColumnFilter(filter, "reward", leaf))).toBe(
    "reward >= 1 and (step = 1 or step = 2)",
  );
  expect(printFilter(withColumnFilter(filter, "reward", null))).toBe("step = 1 or step = 2");
  expect(printFilter(withColumnFilter(null, "reward", leaf))).toBe("reward >= 1");
});

it.each([
  ["", "reward", null],
  ["rew", "reward", null],
  ["reward ", "=", null],
  ["reason = ti", "timeout", null],
  ["reward < 1 ", "and", null],
  ["reward < 1 and fl", "flag", null],
  ["tag = sus", undefined, "sus"],
  ['task ~ "dja', undefined, "dja"],
  ["reason in (", "agent-finished", null],
])("%j is completed", (text, first, prefix) => {
  const found = completeFilter(text, text.length, ROLLOUT_FIELDS);
  expect(found.options[0]?.text).toBe(first);
  expect(found.valuesOf?.prefix ?? null).toBe(prefix);
});
