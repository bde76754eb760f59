import { Random } from "@liverl/contract/random";
import { describe, expect, test } from "vitest";
import { bucketsOfPoints, bucketWidth, widenBuckets } from "#metrics/buckets.ts";
import { emptyPoints, pushPoint } from "#metrics/chunk-points.ts";

function randomPoints(seed: number, count: number) {
  const random = new Random(seed);
  const points = emptyPoints();
  let step = random.below(50) - 25;
  for (let i = 0; i < count; i++) {
    const odd = random.next() < 0.1;
    pushPoint(points, {
      step,
      value: odd ? null : random.next(),
      flag: odd ? 1 + random.below(3) : 0,
      wallMs: i,
      seq: i,
    });
    step += 1 + random.below(4);
  }
  return points;
}

describe("buckets", () => {
  test.each([1, 2, 3, 4, 5])(
    "edges are multiples of the width, and a wider bucket is the union of narrower ones (seed %i)",
    (seed) => {
      const points = bucketsOfPoints(randomPoints(seed, 500));
      for (const width of [1, 2, 8, 64]) {
        const wide = widenBuckets(points, width);
        expect(new Set(wide.step.map((step) => Math.floor(step / width))).size).toBe(
          wide.step.length,
        );
        expect(wide.n.reduce((a, b) => a + b, 0)).toBe(500);
        expect(widenBuckets(wide, width * 4)).toEqual(widenBuckets(points, width * 4));
      }
    },
  );

  test("points that arrive later never move an earlier bucket", () => {
    const points = randomPoints(7, 400);
    const first = {
      ...points,
      step: points.step.slice(0, 300),
      value: points.value.slice(0, 300),
      flag: points.flag.slice(0, 300),
      wallMs: points.wallMs.slice(0, 300),
      seq: points.seq.slice(0, 300),
    };
    const early = widenBuckets(bucketsOfPoints(first), 16);
    const late = widenBuckets(bucketsOfPoints(points), 16);
    expect(late.step.slice(0, early.step.length - 1)).toEqual(early.step.slice(0, -1));
    expect(late.max.slice(0, early.step.length - 1)).toEqual(early.max.slice(0, -1));
  });

  test.each([
    [0, 99, 300, 1],
    [0, 300, 300, 2],
    [1, 299, 300, 1],
    [-5, 1_000_000, 300, 4096],
  ])("steps %i to %i in at most %i buckets are %i wide", (lo, hi, limit, width) => {
    expect(bucketWidth(lo, hi, limit)).toBe(width);
  });
});
