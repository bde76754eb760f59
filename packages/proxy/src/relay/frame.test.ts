import * as fc from "fast-check";
import { expect, it } from "vitest";
import { decodeFrame, digestOf, encodeFrame } from "#relay/frame.ts";

it("carries ids and log-probs bit by bit", () => {
  void fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
      fc.array(fc.option(fc.double({ noNaN: true }))),
      (name, ids, logprobs) => {
        const frame = decodeFrame(encodeFrame({ name }, ids, logprobs));
        expect(frame).toEqual({ header: { name }, ids, logprobs });
      },
    ),
  );
});

it("refuses what is no frame, whatever it is", () => {
  void fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(() => decodeFrame(Buffer.from(bytes))).toThrow();
    }),
  );
  const whole = encodeFrame({ t: "x" }, [1, 2]);
  expect(() => decodeFrame(whole.subarray(0, -1))).toThrow(RangeError);
});

it("tells prefixes apart by their digest", () => {
  expect(digestOf([1, 2, 3])).toBe(digestOf([1, 2, 3]));
  expect(digestOf([1, 2, 3])).not.toBe(digestOf([1, 2, 4]));
  expect(digestOf([])).toHaveLength(22);
});
