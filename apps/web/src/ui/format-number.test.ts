import { expect, test } from "vitest";
import {
  formatBytes,
  formatCount,
  formatExponent,
  formatNumber,
  formatPercent,
  formatSigned,
} from "#ui/format-number.ts";

test.each([
  [0, "0"],
  [9999, "9,999"],
  [1043, "1,043"],
  [38_214, "38.2k"],
  [999_960, "1.00M"],
  [1_284_096, "1.28M"],
  [-12, "−12"],
  [2.1e9, "2.10G"],
  [999_994_000_000, "999.99G"],
  [999_999_000_000, "1.0e12"],
  [1.7e308, "1.7e308"],
])("count %d reads %s", (value, text) => expect(formatCount(value)).toBe(text));

test.each([
  [0.55, "0.550"],
  [0.00064, "6.4e−4"],
  [-0.0042, "−0.0042"],
  [23.456, "23.5"],
  [5, "5"],
  [Number.NaN, "NaN"],
  [Number.NEGATIVE_INFINITY, "−Inf"],
])("number %d reads %s", (value, text) => expect(formatNumber(value)).toBe(text));

test("missing is a dash, never a zero", () => {
  expect(formatNumber(null)).toBe("—");
  expect(formatCount(undefined)).toBe("—");
  expect(formatPercent(null)).toBe("—");
  expect(formatSigned(null)).toBe("—");
  expect(formatBytes(null)).toBe("—");
});

test("percent has a space, and a decimal only when it matters", () => {
  expect(formatPercent(0.457)).toBe("45.7 %");
  expect(formatPercent(0.38, 0)).toBe("38 %");
  expect(formatPercent(1)).toBe("100 %");
  expect(formatPercent(0.0002)).toBe("0.02 %");
});

test("mantissa never rounds up to ten", () => {
  expect(formatExponent(9.97e-5)).toBe("1.0e−4");
  expect(formatExponent(-3.2e12)).toBe("−3.2e12");
});

test("a change carries its sign", () => {
  expect(formatSigned(0.03)).toBe("+0.0300");
  expect(formatSigned(-0.002, formatPercent)).toBe("−0.2 %");
  expect(formatSigned(0)).toBe("±0");
});

test("bytes in decimal units", () => {
  expect(formatBytes(18_400_000_000)).toBe("18.4 GB");
  expect(formatBytes(512)).toBe("512 B");
});
