import { createHash } from "node:crypto";

/** A message of the relay: a JSON header, and ids with their log-probs as numbers of a machine. */
export interface Frame {
  header: unknown;
  ids: number[];
  /** Nats; null where there is none. As many as ids, or none at all. */
  logprobs: (number | null)[];
}

const LENGTHS = 12;

/**
 * `u32 header bytes, u32 ids, u32 log-probs | header as UTF-8 JSON | i32 ids | f64 log-probs`, all little-endian; a
 * log-prob that is not there is NaN.
 */
export function encodeFrame(
  header: unknown,
  ids: readonly number[] = [],
  logprobs: readonly (number | null)[] = [],
): Buffer {
  const json = Buffer.from(JSON.stringify(header), "utf8");
  const frame = Buffer.allocUnsafe(LENGTHS + json.length + ids.length * 4 + logprobs.length * 8);
  frame.writeUInt32LE(json.length, 0);
  frame.writeUInt32LE(ids.length, 4);
  frame.writeUInt32LE(logprobs.length, 8);
  json.copy(frame, LENGTHS);
  let at = LENGTHS + json.length;
  for (const id of ids) at = frame.writeInt32LE(id, at);
  for (const logprob of logprobs) at = frame.writeDoubleLE(logprob ?? Number.NaN, at);
  return frame;
}

/** Throws RangeError or SyntaxError on what is no frame. */
export function decodeFrame(frame: Buffer): Frame {
  if (frame.length < LENGTHS) throw new RangeError("a frame has at least 12 bytes");
  const [jsonBytes, idCount, logprobCount] = [0, 4, 8].map((at) => frame.readUInt32LE(at)) as [
    number,
    number,
    number,
  ];
  if (frame.length !== LENGTHS + jsonBytes + idCount * 4 + logprobCount * 8)
    throw new RangeError("the frame's length is not what its head says");
  const header: unknown = JSON.parse(frame.toString("utf8", LENGTHS, LENGTHS + jsonBytes));
  const idsAt = LENGTHS + jsonBytes;
  const ids = Array.from({ length: idCount }, (_, i) => frame.readInt32LE(idsAt + i * 4));
  const logprobs = Array.from({ length: logprobCount }, (_, i) => {
    const logprob = frame.readDoubleLE(idsAt + idCount * 4 + i * 8);
    return Number.isNaN(logprob) ? null : logprob;
  });
  return { header, ids, logprobs };
}

/** SHA-256 of the ids as little-endian i32, its first 16 bytes as base64url: both sides hold the same prefix, or not. */
export function digestOf(ids: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(ids.length * 4);
  let at = 0;
  for (const id of ids) at = bytes.writeInt32LE(id, at);
  return createHash("sha256").update(bytes).digest().toString("base64url", 0, 16);
}
