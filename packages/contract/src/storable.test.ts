import { expect, test } from "vitest";
import { LaunchSpec, launchFaults } from "#launch.ts";
import { findNotStorable, isStorable } from "#storable.ts";

test("text that no database holds is found where it stands", () => {
  expect(isStorable("é\u{1F600}")).toBe(true);
  expect([isStorable("a\0"), isStorable("\ud83d"), isStorable("\ude00\ud83d")]).toEqual([
    false,
    false,
    false,
  ]);
  expect(findNotStorable({ a: [1, { b: "ok" }, null], c: "\u{1F600}" })).toBeNull();
  expect(findNotStorable({ a: [1, { b: "x\0" }] })).toEqual(["a", "1", "b"]);
  expect(findNotStorable({ a: { "k\ud800": 1 } })).toEqual(["a", "k\ud800"]);
  expect(findNotStorable("\0")).toEqual([]);
});

test("a spec with such a text has a fault at its place", () => {
  const parsed = LaunchSpec.safeParse({ driver: "embedded", name: "x\0" });
  expect(parsed.success).toBe(false);
  if (!parsed.success) expect(launchFaults(parsed.error).map(({ path }) => path)).toContain("name");
});
