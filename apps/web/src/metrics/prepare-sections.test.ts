import { expect, test } from "vitest";
import { prepareSections } from "#metrics/prepare-sections.ts";

const keys = [
  "timing_s/step",
  "actor/entropy",
  "critic/rewards/mean",
  "actor/grad_norm",
  "zeta/x",
  "loss",
];

test("sections by prefix, the ones that matter first", () => {
  expect(prepareSections(keys, "").map(({ prefix }) => prefix)).toEqual([
    "critic",
    "actor",
    "timing_s",
    "other",
    "zeta",
  ]);
});

test("a search is a pattern, and half a pattern is text", () => {
  expect(prepareSections(keys, "^actor/.*norm$").flatMap(({ keys: found }) => found)).toEqual([
    "actor/grad_norm",
  ]);
  expect(prepareSections(keys, "kl(")).toEqual([]);
  expect(prepareSections(keys, "entropy")[0]).toMatchObject({ keys: ["actor/entropy"], total: 2 });
});
