import { LaunchSpec } from "@liverl/contract/launch";
import { readPath } from "@liverl/contract/spec/read-path";
import { splitPath } from "@liverl/contract/spec/split-path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import presets from "#launch/__fixtures__/presets.json" with { type: "json" };
import type { LaunchField } from "#launch/fields/launch-field.ts";
import { fieldsOf } from "#launch/fields/launch-sections.ts";
import { fieldText, parseField } from "#launch/parse-field.ts";
import type { SpecValue } from "#launch/spec-value.ts";
import { readYaml, setInYaml, writeYaml } from "#launch/spec-yaml.ts";

const SPECS = presets.map((preset) => LaunchSpec.parse(preset));

/** Text of one line, with all that YAML and Hydra read as something else. */
const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }).map((text) => text.replace(/\s+/g, " ").trim()),
  fc.constantFrom(
    "null",
    "true",
    "~",
    "1e3",
    "0x10",
    "a: b",
    "# no",
    "- x",
    "[a",
    "{b}",
    "é\u{1F600}",
    "yes",
    '"q"',
    "'",
    "=",
    "1_000",
    "2026-11-22",
    "|",
    ">-",
    "!tag",
    "&a",
    "*b",
    "%c",
    "@d",
    "\\n",
  ),
);

function arbitraryOf(field: LaunchField): fc.Arbitrary<SpecValue> {
  const known = (): fc.Arbitrary<SpecValue> => {
    switch (field.kind) {
      case "number":
        return fc.oneof(
          fc.integer({ min: -1, max: 200_000 }),
          fc.double({ min: 0, max: 1, noNaN: true }),
        );
      case "switch":
        return fc.boolean();
      case "select":
        return fc.constantFrom(...(field.options ?? []));
      case "lines":
        return fc.array(
          word.filter((text) => text !== ""),
          { maxLength: 4 },
        );
      case "pairs": {
        const value = fc.oneof(word, fc.constant("two\nlines"), fc.constant(" spaced "));
        const any = fc.oneof(
          value,
          fc.boolean(),
          fc.integer(),
          // JSON writes -0 as 0: a spec has none.
          fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
          fc.constant(null),
          fc.array(fc.oneof(word, fc.integer()), { maxLength: 3 }),
        );
        return field.path === "env"
          ? fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), value, { maxKeys: 4 })
          : fc.dictionary(fc.stringMatching(/^\+{0,2}[a-z_]{1,6}(\.[a-z_]{1,6}){0,3}$/), any, {
              maxKeys: 4,
            });
      }
      case "text":
      case "driver":
      case "locked":
        return word;
    }
  };
  return field.nullable ? fc.option(known(), { nil: null }) : known();
}

function withValue(spec: LaunchSpec, path: string, value: unknown): LaunchSpec {
  const copy: Record<string, unknown> = structuredClone(spec);
  const keys = splitPath(path);
  const last = keys.pop() ?? "";
  const parent = keys.reduce((here, key) => here[key] as Record<string, unknown>, copy);
  parent[last] = value;
  const parsed = LaunchSpec.safeParse(copy);
  return parsed.success ? parsed.data : spec;
}

/** A valid spec of the base's driver: each value is another where the schema takes it. */
function specOf(base: LaunchSpec): fc.Arbitrary<LaunchSpec> {
  const fields = fieldsOf(base.driver).filter(({ kind }) => kind !== "driver" && kind !== "locked");
  return fc
    .tuple(...fields.map((field) => fc.option(arbitraryOf(field), { nil: undefined, freq: 2 })))
    .map((values) =>
      values.reduce<LaunchSpec>((spec, value, i) => {
        const field = fields[i];
        return value === undefined || !field ? spec : withValue(spec, field.path, value);
      }, base),
    );
}

function expectRoundTrip(spec: LaunchSpec, from: LaunchSpec): void {
  expect(readYaml(writeYaml(spec)).spec).toEqual(spec);
  let text = writeYaml(from);
  for (const field of fieldsOf(spec.driver)) {
    const value = readPath(spec, field.path) as SpecValue;
    if (field.kind !== "switch" && field.kind !== "driver") {
      const shown = fieldText(value, field);
      expect(parseField(field, shown), `${field.path} as ${shown}`).toEqual(value);
    }
    if (JSON.stringify(readPath(from, field.path)) !== JSON.stringify(value))
      text = setInYaml(text, field.path, value);
  }
  expect(readYaml(text).spec).toEqual(spec);
}

describe("form → YAML → form loses nothing", () => {
  test.each(SPECS.map((spec) => [`${spec.driver} ${spec.name}`, spec] as const))(
    "%s",
    (_name, spec) => {
      expectRoundTrip(spec, spec);
    },
  );

  const DRIVERS = [...new Map(SPECS.map((spec) => [spec.driver, spec]))];
  test.each(DRIVERS)("any valid spec of %s", (_driver, base) => {
    fc.assert(
      fc.property(specOf(base), (spec) => expectRoundTrip(spec, base)),
      { numRuns: 10 },
    );
  });
});
