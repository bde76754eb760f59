import { expect, test } from "vitest";
import { groupOfTyped, prepareJump } from "#shell/prepare-jump.ts";

const runs = [{ id: "gspo-01" }, { id: "gspo-01.b" }, { id: "quick-01" }];
const open = { id: "quick-01", step: 15 };

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
  for (const typed of ["s6.g6.r1", "e5.t10"])
    expect(prepareJump(typed, runs, open)).toEqual([
      { kind: "rollout", runId: "quick-01", rolloutId: `quick-01.${typed}` },
    ]);
  expect(prepareJump("s6.g6", runs, open)).toEqual([]);
});

test("an id of a rollout is found by its group, once the group is typed", () => {
  const found = { groupId: "a-01.s7.g0", begin: "a-01.s7.g0.r" };
  expect(groupOfTyped("a-01", "s7.g0.r")).toEqual(found);
  expect(groupOfTyped("a-01", "a-01.s7.g0.r")).toEqual(found);
  expect(groupOfTyped("a-01", "e0.t109")?.groupId).toBe("a-01.e0.t109");
  for (const words of ["s7", "reward", "a-01", "7"]) expect(groupOfTyped("a-01", words)).toBeNull();
});
