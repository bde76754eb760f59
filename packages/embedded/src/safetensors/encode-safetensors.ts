import type { Parameters } from "#model/parameters.ts";

const HEADER_LENGTH_BYTES = 8;
/** Data begins at a multiple of this, as the reference writer pads its header. */
const ALIGNMENT = 8;

/** Bytes of a safetensors file: header length (u64 LE), JSON header, then each tensor's float32 values in order. */
export function encodeSafetensors(
  parameters: Parameters,
  metadata: Record<string, string> = {},
): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: "pt", ...metadata } };
  let end = 0;
  for (const [name, { values, shape }] of parameters) {
    header[name] = { dtype: "F32", shape, data_offsets: [end, end + values.byteLength] };
    end += values.byteLength;
  }
  const text = JSON.stringify(header);
  const padded = text.padEnd(
    Math.ceil(Buffer.byteLength(text) / ALIGNMENT) * ALIGNMENT -
      (Buffer.byteLength(text) - text.length),
  );
  const head = Buffer.from(padded, "utf8");
  const bytes = Buffer.alloc(HEADER_LENGTH_BYTES + head.length + end);
  bytes.writeBigUInt64LE(BigInt(head.length));
  head.copy(bytes, HEADER_LENGTH_BYTES);
  let at = HEADER_LENGTH_BYTES + head.length;
  for (const { values } of parameters.values()) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return bytes;
}
