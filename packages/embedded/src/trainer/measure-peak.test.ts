import { expect, test } from "vitest";
import { measurePeak, PeakFlops } from "#trainer/measure-peak.ts";

test("a rate above the peak is the new peak, so that no share is above 1", () => {
  const peak = new PeakFlops(20e9);
  expect(peak.shareOf(5e9)).toBe(0.25);
  expect(peak.shareOf(28e9)).toBe(1);
  expect(peak.shareOf(14e9)).toBe(0.5);
  expect(peak.perSecond).toBe(28e9);
});

test("a processor's peak is measured", async () => {
  const { perSecond } = await measurePeak(1);
  expect(perSecond).toBeGreaterThan(1e8);
  expect(perSecond).toBeLessThan(1e13);
});
