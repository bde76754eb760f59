import { MetricsView } from "@liverl/contract/metrics-view";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type MetricsQuery,
  mergeView,
  namesParser,
  queryOfChange,
} from "#metrics/metrics-query.ts";

const NONE: MetricsQuery = { q: null, pins: null, sm: null };
const base = MetricsView.parse({ pins: ["a"], smoothing: 0.6, isLog: true });

test("the address goes before the view, and what it does not name is the view's", () => {
  expect(mergeView(base, NONE)).toEqual(base);
  expect(mergeView(base, { ...NONE, pins: [], log: false, x: "wall" })).toEqual({
    ...base,
    pins: [],
    isLog: false,
    x: "wall",
  });
});

test("a value that is none counts as not given", () => {
  expect(mergeView(base, { ...NONE, sm: 7, q: "a".repeat(301) })).toEqual(base);
});

test("going back to the view's own value leaves nothing in the address", () => {
  expect(queryOfChange(base, { smoothing: 0.9, isLog: false })).toEqual({ sm: 0.9, log: false });
  expect(queryOfChange(base, { smoothing: 0.6, pins: ["a"] })).toEqual({ sm: null, pins: null });
});

test("any names survive the address", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), (names) => {
      expect(namesParser.parse(namesParser.serialize(names))).toEqual(names);
    }),
  );
});
