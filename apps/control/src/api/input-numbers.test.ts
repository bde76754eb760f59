import { expect, test } from "vitest";
import { z } from "zod";
import { listOperations } from "#api/list-operations.ts";

type Field = z.core.JSONSchema.JSONSchema;
const MOST = 2_147_483_647;

/** Byte offsets of files, which may be long; the database is never asked about them. */
const OF_FILES = [
  "log.read.before",
  "log.read.after",
  "log.tail.after",
  "trajectory.terminal.from",
];

const isUnbounded = (field: Field) => {
  const most = Number(field.maximum ?? field.exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  const least = Number(field.minimum ?? field.exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  return field.type === "integer" && (least < -MOST || most > MOST);
};

function* unbounded(field: Field, at: string): Generator<string> {
  if (isUnbounded(field)) yield at;
  for (const [name, one] of Object.entries(field.properties ?? {}))
    if (typeof one === "object") yield* unbounded(one, `${at}.${name}`);
  const { items = [], prefixItems = [], anyOf = [], allOf = [] } = field;
  for (const one of [items, prefixItems, anyOf, allOf].flat())
    if (typeof one === "object") yield* unbounded(one, at);
}

test("no number of an input is larger than what a column of the database holds", () => {
  const found = listOperations().flatMap(({ name, input }) => {
    if (input === null) return [];
    return [...unbounded(z.toJSONSchema(input, { io: "input", unrepresentable: "any" }), name)];
  });
  // What is launched is JSON in the database: its numbers are the trainer's.
  const asked = found.filter((at) => !at.includes(".spec.") && !OF_FILES.includes(at));
  expect(asked).toEqual([]);
});
