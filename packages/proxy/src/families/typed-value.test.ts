import { expect, it } from "vitest";
import { typedValue } from "#families/typed-value.ts";
import { parseLossless } from "#json/parse-lossless.ts";

it.each([
  ['{"type": "string"}', "1.0", '"1.0"'],
  ['{"type": "str"}', 'a"\n', '"a\\"\\n"'],
  ['{"type": "integer"}', " 9007199254740993 ", "9007199254740993"],
  ['{"type": "integer"}', "+007", "7"],
  ['{"type": "integer"}', "-0", "-0"],
  ['{"type": "integer"}', "1.0", "1.0"],
  ['{"type": "integer"}', "1_0", '"1_0"'],
  ['{"type": "integer"}', "", '""'],
  ['{"type": "number"}', "1.0", "1.0"],
  ['{"type": "number"}', "1e-07", "1e-07"],
  ['{"type": "number"}', "-.5", "-0.5"],
  ['{"type": "number"}', "5.", "5"],
  ['{"type": "number"}', "Infinity", '"Infinity"'],
  ['{"type": "number"}', ".", '"."'],
  ['{"type": "bool"}', "False", "false"],
  ['{"type": "boolean"}', "1", "true"],
  ['{"type": "boolean"}', "yes", '"yes"'],
  ['{"type": "object"}', ' {"a": 1.0} ', '{"a": 1.0}'],
  ['{"type": "object"}', "{'a': 1}", "\"{'a': 1}\""],
  ['{"type": "array"}', "[1, \n2]", "[1, \n2]"],
  ['{"type": ["string", "null"]}', "null", "null"],
  ['{"type": ["string", "null"]}', "None", "null"],
  ['{"type": ["string", "null"]}', "x", '"x"'],
  ['{"anyOf": [{"type": "integer"}, {"type": "null"}]}', "3", "3"],
  ['{"anyOf": [{"type": "integer"}, {"type": "string"}]}', "x", '"x"'],
  ['{"enum": [1, 2.5, null]}', "2.5", "2.5"],
  ['{"enum": ["a", "1"]}', "1", '"1"'],
  ['{"$ref": "#/x"}', "5", '"5"'],
  ["{}", "5", '"5"'],
])("by %s, %j is %s", (schema, text, expected) => {
  expect(typedValue(text, parseLossless(schema))).toBe(expected);
});

it("without a schema a value is a string, and a schema may nest as deep as it likes", () => {
  expect(typedValue("5", undefined)).toBe('"5"');
  const deep = `${'{"anyOf": ['.repeat(90)}{"type": "integer"}${"]}".repeat(90)}`;
  expect(typedValue("5", parseLossless(deep))).toBe('"5"');
});
