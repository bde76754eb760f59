import { toQuery } from "@liverl/contract/api";
import { ListRuns } from "@liverl/contract/list-runs";
import { ReadSeries } from "@liverl/contract/metric";
import { expect, test } from "vitest";
import { z } from "zod";
import { readQuery } from "#api/read-query.ts";

const Odd = z.object({
  name: z.string(),
  last: z.string().nullish(),
  count: z.number().int(),
  is: z.boolean().default(false),
  any: z.unknown(),
  pair: z.tuple([z.number(), z.number()]).optional(),
  words: z.array(z.string()).optional(),
  word: z.enum(["1", "2"]).optional(),
});

test.each([
  [Odd, { name: "12", last: "3", count: 3, is: true, any: { a: [1, null] }, word: "2" }],
  [Odd, { name: "", last: "null", count: -1, pair: [1, 2.5], words: ["a,b", "3", "a&b=c"] }],
  [Odd, { name: "true", count: 0, any: { x: "ü\n" }, words: ["one"] }],
  [ReadSeries, { runId: "p-1", keys: ["a/b", "1"], range: [0, 4], buckets: 10 }],
  [ListRuns, { status: ["failed", "running"], f: "12" }],
] as [z.ZodObject, Record<string, unknown>][])("what is written is read: %#", (schema, input) => {
  const query = new URLSearchParams(toQuery(input).toString());
  expect(readQuery(schema, query)).toEqual(input);
});

test("a number that is none is left to the schema", () => {
  const read = readQuery(Odd, new URLSearchParams("name=x&count=three"));
  expect(read).toEqual({ name: "x", count: "three" });
  expect(Odd.safeParse(read).success).toBe(false);
});

test("a misspelt name and a name that stands twice are told", () => {
  expect(() => readQuery(ListRuns, new URLSearchParams("statsu=failed"))).toThrow(
    "There is no statsu here. It takes project, status, look, f, sort, limit, cursor.",
  );
  expect(() => readQuery(ListRuns, new URLSearchParams("f=a&f=b"))).toThrow("Give f once.");
  expect(() => readQuery(null, new URLSearchParams("q=a"))).toThrow("It takes none.");
  expect(readQuery(null, new URLSearchParams())).toBeUndefined();
});
