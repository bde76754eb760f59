import { maskedCrc32c } from "#tensorboard/crc32c.ts";

const HEADER_BYTES = 12;
const FOOTER_BYTES = 4;
/** Longer than any event that holds scalars or pictures: such a length is damage. */
const MAX_RECORD_BYTES = 256 * 1024 * 1024;

export interface SplitRecords {
  records: { offset: number; data: Buffer }[];
  /** Bytes of the whole, sound records. */
  consumed: number;
  /** `more`: what follows is not all there. `broken`: it is there and its sum is wrong. */
  rest: "none" | "more" | "broken";
}

/**
 * TFRecord framing: u64 LE length, masked crc32c of it, data, masked crc32c of the data
 * (https://www.tensorflow.org/tutorials/load_data/tfrecord#tfrecords_format_details).
 */
export function splitRecords(bytes: Buffer): SplitRecords {
  const records: SplitRecords["records"] = [];
  let at = 0;
  const end = (rest: SplitRecords["rest"]): SplitRecords => ({ records, consumed: at, rest });
  while (at < bytes.length) {
    if (at + HEADER_BYTES > bytes.length) return end("more");
    const length = Number(bytes.readBigUInt64LE(at));
    if (bytes.readUInt32LE(at + 8) !== maskedCrc32c(bytes.subarray(at, at + 8)))
      return end("broken");
    if (length > MAX_RECORD_BYTES) return end("broken");
    const begin = at + HEADER_BYTES;
    if (begin + length + FOOTER_BYTES > bytes.length) return end("more");
    const data = bytes.subarray(begin, begin + length);
    if (bytes.readUInt32LE(begin + length) !== maskedCrc32c(data)) return end("broken");
    records.push({ offset: at, data });
    at = begin + length + FOOTER_BYTES;
  }
  return end("none");
}
