import { expect, it } from "vitest";
import { versionNumber } from "#backends/version-number.ts";

it.each([
  ["7", 7],
  ["step-7", 7],
  ["default", null],
  ["", null],
  [null, null],
  ["step-1763841600123456789", null],
  ["9007199254740992", null],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
])("reads %s as %s", (label, version) => {
  expect(versionNumber(label)).toBe(version);
});
