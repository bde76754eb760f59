import { expect, it } from "vitest";
import { readHydraCollection } from "#hydra-value.ts";
import { OverrideValue } from "#override-value.ts";

it.each([
  ["[a,'b c',1,True,null]", ["a", "b c", 1, true, null]],
  ['["console","wandb"]', ["console", "wandb"]],
  ["{a:1}", { a: 1 }],
  ["{ a: 1, b.c: [x, {d: 'e,f'}] }", { a: 1, "b.c": ["x", { d: "e,f" }] }],
  ['{"a": "say \\"hi\\"", b: file:///x:1}', { a: 'say "hi"', b: "file:///x:1" }],
  ["[]", []],
  ["{}", {}],
  ["[[1],2]", [[1], 2]],
])("%s", (text, value) => {
  expect(readHydraCollection(text)).toEqual(value);
  expect(OverrideValue.parse(value)).toEqual(value);
});

it.each(["[", "{a", "{a:}", "[a,]", "[a]b", "a", "", "{:1}", "['a]", `${"[".repeat(99)}1`])(
  "%s is none",
  (text) => {
    expect(readHydraCollection(text)).toBeUndefined();
  },
);

it("a value that is nested without end is refused, not followed", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 10_000; i += 1) deep = [deep];
  expect(OverrideValue.safeParse(deep).success).toBe(false);
});
