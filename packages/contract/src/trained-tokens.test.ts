import { describe, expect, test } from "vitest";
import {
  encodeTrainedTokens,
  type ReadBytes,
  readTrainedHeader,
  readTrainedRows,
  TRAINED_TOKENS_FORMAT,
  type TrainedColumns,
  type TrainedUpdate,
} from "#trained-tokens.ts";

const segment = (name: string, rows: [number, number]) => ({
  ...{ rolloutId: name, sessionId: `${name}-a1`, segmentId: 0, rows, outOfLoss: null },
});
const update: TrainedUpdate = {
  ...{ format: TRAINED_TOKENS_FORMAT, runId: "run", attempt: 1, step: 3, update: 0, version: 2 },
  ...{ isSynced: true, epochs: 2, temperature: 1, ratioOf: "token", ratioTo: "trainer" },
  clip: { low: 0.2, high: 0.28 },
  segments: [segment("é", [0, 2]), segment("b", [2, 5])],
};
const columns: TrainedColumns = {
  position: Int32Array.of(7, 8, 2_000_000_000, 3, 4),
  trainer_log_prob: Float32Array.of(-0.1, -1e-30, -0, Number.NEGATIVE_INFINITY, -12.5),
  entropy: Float32Array.of(0, 1, 2, Number.NaN, 5.54),
  advantage: Float32Array.of(1, -1, 0.5, 0, 2),
  ratio: Float32Array.of(1, Number.POSITIVE_INFINITY, 0.7, 1.3, Number.NaN),
  value: null,
  clipped: Uint8Array.of(0, 1, 0, 0, 1),
};
const reader =
  (bytes: Uint8Array): ReadBytes =>
  async (at, length) =>
    bytes.slice(at, at + length);

describe("what an update computed of its tokens", () => {
  test.each([null, Float32Array.of(0.1, 0.2, 0.3, Number.NaN, 0.5)])(
    "is read as it was written, also what is not finite, by range (values: %s)",
    async (value) => {
      const read = reader(encodeTrainedTokens(update, { ...columns, value }));
      const header = await readTrainedHeader(read);
      expect(header.update).toEqual(update);
      expect(await readTrainedRows(read, header, [0, 5])).toEqual({ ...columns, value });
      const part = await readTrainedRows(read, header, [2, 4]);
      expect(part.position).toEqual(Int32Array.of(2_000_000_000, 3));
      expect(part.ratio).toEqual(Float32Array.of(0.7, 1.3));
      expect(part.clipped).toEqual(Uint8Array.of(0, 0));
      expect((await readTrainedRows(read, header, [5, 5])).position).toHaveLength(0);
    },
  );

  test("takes 21 bytes a token beside its header", () => {
    const none = encodeTrainedTokens(update, columns);
    const start = 8 + Number(new DataView(none.buffer).getBigUint64(0, true));
    expect(start % 8).toBe(0);
    expect(none.length - start).toBe(5 * 21);
  });

  test("is refused where it is cut off, lacks a column or names rows that are not there", async () => {
    const bytes = encodeTrainedTokens(update, columns);
    await expect(readTrainedHeader(reader(bytes.slice(0, 5)))).rejects.toThrow(/cut off/);
    await expect(readTrainedHeader(reader(bytes.slice(0, 60)))).rejects.toThrow(/cut off/);
    const cut = reader(bytes.slice(0, -1));
    const header = await readTrainedHeader(cut);
    await expect(readTrainedRows(cut, header, [0, 5])).rejects.toThrow(/cut off/);
    const beyond = { ...update, segments: [segment("a", [4, 6])] };
    await expect(readTrainedHeader(reader(encodeTrainedTokens(beyond, columns)))).rejects.toThrow(
      /rows that the file has not/,
    );
    const renamed = new TextDecoder("latin1").decode(bytes).replace('"entropy"', '"entropi"');
    const lacking = Uint8Array.from(renamed, (letter) => letter.charCodeAt(0));
    await expect(readTrainedHeader(reader(lacking))).rejects.toThrow();
    expect(() => encodeTrainedTokens(update, { ...columns, ratio: Float32Array.of(1) })).toThrow(
      "column ratio has 1 rows of 5",
    );
  });
});
