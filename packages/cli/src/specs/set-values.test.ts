import { expect, test } from "vitest";
import { setValues } from "#specs/set-values.ts";

const SPEC = { batch: { n: 4 }, trainer: { save_freq: 5 }, overrides: {} };

test("values are put in by their paths, and the spec itself stays", () => {
  const words = ["batch.n=8", "trainer.stop=null", 'name="01"', "list=[1, a]", "new.deep=x=y"];
  expect(setValues(SPEC, words)).toEqual({
    ...{ batch: { n: 8 }, trainer: { save_freq: 5, stop: null }, overrides: {} },
    ...{ name: "01", list: [1, "a"], new: { deep: "x=y" } },
  });
  expect(SPEC.batch.n).toBe(4);
});

test("the key of an override has dots", () => {
  expect(setValues(SPEC, ["overrides.actor.ppo.x=1e-6"])).toMatchObject({
    overrides: { "actor.ppo.x": 1e-6 },
  });
});

test("no word reaches a prototype", () => {
  const changed = setValues(SPEC, ["__proto__.polluted=1", "constructor.prototype.polluted=1"]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(Object.keys(changed)).toContain("__proto__");
});

test.each(["batch.n", "=8", "batch.n=[1"])("%s is refused in words", (word) => {
  expect(() => setValues(SPEC, [word])).toThrow(/^--set /);
});
