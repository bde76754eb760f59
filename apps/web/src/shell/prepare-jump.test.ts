import { expect, test } from "vitest";
import { prepareJump } from "#shell/prepare-jump.ts";

const runs = [{ id: "gspo-01" }, { id: "gspo-01.b" }, { id: "quick-01" }];
const open = { step: 15 };

test.each(["step 7", "Step7", " 7 "])("%j is step 7 of the open run", (typed) => {
  expect(prepareJump(typed, runs, open)).toEqual([{ kind: "step", step: 7 }]);
});

test.each(["step 16", "step 0", "step", "7a", ""])("%j is no step of it", (typed) => {
  expect(prepareJump(typed, runs, open)).toEqual([]);
});

test("without an open run there is no step", () => {
  expect(prepareJump("step 7", runs, null)).toEqual([]);
});

test("a rollout's id names its run", () => {
  const idsOf = (typed: string) =>
    prepareJump(typed, runs, null).map((place) => place.kind === "rollout" && place.runId);
  expect(idsOf("quick-01.s7.g3.r2")).toEqual(["quick-01"]);
  expect(idsOf("gspo-01.b.s1.g0.r0")).toEqual(["gspo-01.b"]);
  expect(idsOf("quick-01.")).toEqual([]);
  expect(idsOf("quick-02.s7")).toEqual([]);
});
