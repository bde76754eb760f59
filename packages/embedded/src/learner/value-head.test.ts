import { expect, test } from "vitest";
import { newCritic, ValueHead } from "#learner/value-head.ts";

const SIZE = 4;
const settings = { learningRate: 0.02, clipNorm: 10, epochs: 1, cliprangeValue: 100 };
/** Two sequences; the return is what the first feature says. */
const features = [Float32Array.of(1, 0, 2, 0, 0, 1, 0, 1), Float32Array.of(1, 1, 0, 0)];
const returns = [1, 0, 1];

test("it says 0 until it has learnt, and then what it was taught", async () => {
  const head = await ValueHead.open(newCritic(SIZE, 1), SIZE, 1);
  expect(await head.values(features)).toEqual([[0, 0], [0]]);
  const losses: number[] = [];
  for (let i = 0; i < 150; i++) {
    const old = (await head.values(features)).flat();
    losses.push((await head.update(features, { old, returns }, settings))?.vfLoss ?? Number.NaN);
  }
  expect(losses[0]).toBeCloseTo(0.5 * (2 / 3), 6);
  expect(losses.at(-1)).toBeLessThan(0.001);
  const [[one, two], [three]] = await head.values(features);
  expect(one).toBeCloseTo(1, 1);
  expect(two).toBeCloseTo(0, 1);
  expect(three).toBeCloseTo(1, 1);
});

test("a value that has moved by its range teaches no more", async () => {
  const head = await ValueHead.open(newCritic(SIZE, 1), SIZE, 1);
  const old = [1.4, 1.4, 1.4];
  const clipped = await head.update(
    features,
    { old, returns: [-1, -1, -1] },
    { ...settings, cliprangeValue: 0.5 },
  );
  // |0 − (−1)| = 1 is less than |0.9 − (−1)| = 1.9, so the bounded value sets the loss.
  expect(clipped?.vfClipFraction).toBe(1);
  expect(clipped?.vfLoss).toBeCloseTo(0.5 * 1.9 ** 2, 5);
  expect(clipped?.gradientNorm).toBe(0);
  expect(await head.update([], { old: [], returns: [] }, settings)).toBeNull();
});

test("the same seed gives the same head", () => {
  expect(newCritic(SIZE, 3)).toEqual(newCritic(SIZE, 3));
  expect(newCritic(SIZE, 3)).not.toEqual(newCritic(SIZE, 4));
});
