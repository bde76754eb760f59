import { ROLLOUT_FIELDS } from "@liverl/contract/filter/filter-fields";
import { expect, test } from "vitest";
import { PICKS, pickQuery } from "#compare/prepare-pairs.ts";
import { readFilterText } from "#filters/read-fault.ts";

test.each(PICKS)("what finds the %s one is a filter, whatever the task is called", (pick) => {
  const { f, limit } = pickQuery("r", { task: 'a "task" or none', mode: "eval", pick });
  expect(readFilterText(f, ROLLOUT_FIELDS).fault).toBeNull();
  expect(limit).toBe(1);
});
