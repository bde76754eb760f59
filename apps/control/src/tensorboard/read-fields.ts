/** A field of a protobuf message: a number for varints and fixed widths, bytes for what has a length. */
export interface Field {
  number: number;
  value: number | Buffer;
  wire: 0 | 1 | 2 | 5;
}

/** The fields of a protobuf message (https://protobuf.dev/programming-guides/encoding). Throws RangeError for bytes that are none. */
export function* readFields(bytes: Buffer): Generator<Field, void, void> {
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    at = tag.next;
    const number = Math.floor(tag.value / 8);
    const wire = tag.value % 8;
    if (wire === 0) {
      const { value, next } = readVarint(bytes, at);
      yield { number, value, wire };
      at = next;
    } else if (wire === 1) {
      yield { number, value: bytes.readDoubleLE(at), wire };
      at += 8;
    } else if (wire === 5) {
      yield { number, value: bytes.readFloatLE(at), wire };
      at += 4;
    } else if (wire === 2) {
      const { value: length, next } = readVarint(bytes, at);
      if (next + length > bytes.length) throw new RangeError("a field ends behind its message");
      yield { number, value: bytes.subarray(next, next + length), wire };
      at = next + length;
    } else throw new RangeError(`wire type ${wire}`);
  }
}

const MAX_VARINT_BYTES = 10;

/** A signed 64-bit varint; exact up to 2^53, which steps and counts are below. */
export function readVarint(bytes: Buffer, at: number): { value: number; next: number } {
  let value = 0n;
  for (let i = 0; i < MAX_VARINT_BYTES; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return { value: Number(BigInt.asIntN(64, value)), next: at + i + 1 };
  }
  throw new RangeError("a number without an end");
}
