import { expect, test, vi } from "vitest";
import { createCrosshair } from "#charts/crosshair.ts";

test("the panel under the pointer hears at once, the others after it, each of the newest step alone", () => {
  vi.useFakeTimers();
  const crosshair = createCrosshair();
  const heard: string[] = [];
  for (const id of ["a", "b", "c"])
    crosshair.subscribe(id, (at) => heard.push(`${id} ${at?.step ?? "none"}`));
  crosshair.set({ step: 1, at: null, owner: "a" });
  crosshair.set({ step: 2, at: null, owner: "a" });
  expect(heard).toEqual(["a 1", "a 2"]);
  vi.runAllTimers();
  expect(heard.splice(0)).toEqual(["a 1", "a 2", "b 2", "c 2"]);
  crosshair.set({ step: 3, at: null, owner: "b" });
  // The one that the pointer left takes its tooltip away in the same frame.
  expect(heard).toEqual(["b 3", "a 3"]);
  vi.runAllTimers();
  heard.length = 0;
  crosshair.set(null);
  expect(heard).toEqual(["b none"]);
  vi.runAllTimers();
  expect(new Set(heard)).toEqual(new Set(["a none", "b none", "c none"]));
  vi.useRealTimers();
});
