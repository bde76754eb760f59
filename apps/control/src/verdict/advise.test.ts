import { expect, test } from "vitest";
import { number, numberBeside, percentBeside } from "#verdict/advise.ts";

test.each([
  [0.005, 0.00502, "0.00502"],
  [0.005, 0.0072, "0.007"],
  [0.005, 0.005, "0.005"],
  [0.3, 0.2999, "0.2999"],
  [0.3, 0.29999999, "0.29999999"],
  [1, 1.0004, "1.0004"],
])("beside %d, %d is written %s", (bound, value, text) => {
  expect(numberBeside(bound, value)).toBe(text);
});

test.each([
  [0.5, "0.500"],
  [0.0001, "1.0e-4"],
  [123456, "123456.000"],
  [-1e308, "-1.0e+308"],
])("%d is written %s", (value, text) => {
  expect(number(value)).toBe(text);
});

test.each([
  [0.3, 0.296, "29.6 %"],
  [0.3, 0.2, "20 %"],
  [0.3, 0.3, "30 %"],
  [0.15, 0.14999, "14.999 %"],
])("beside a share of %d, %d is written %s", (bound, share, text) => {
  expect(percentBeside(bound, share)).toBe(text);
});
