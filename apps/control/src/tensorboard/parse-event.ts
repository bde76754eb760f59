import type { MetricValue } from "#metrics/ingest.ts";
import { metricValueOf } from "#metrics/metric-flag.ts";
import { readFields, readVarint } from "#tensorboard/read-fields.ts";

export interface ParsedEvent {
  step: number;
  /** Milliseconds since 1970. */
  wallMs: number;
  /** Scalars by tag; text, pictures and histograms are left out. */
  values: Record<string, MetricValue>;
  /** The writer goes on from this step, with `purge_step`: what is there from it on is void. */
  restarts: boolean;
}

/**
 * An `Event` of TensorBoard (tensorboard/compat/proto/event.proto, summary.proto, tensor.proto): wall_time = 1, step = 2,
 * summary = 5,
 * session_log = 7. Throws RangeError for bytes that are none.
 */
export function parseEvent(data: Buffer): ParsedEvent {
  let step = 0;
  let wallMs = 0;
  let restarts = false;
  const values: [string, MetricValue][] = [];
  for (const { number, value } of readFields(data)) {
    if (number === 1 && typeof value === "number") wallMs = value * 1000;
    if (number === 2 && typeof value === "number") step = value;
    if (number === 7 && typeof value !== "number") restarts = isSessionStart(value);
    if (number === 5 && typeof value !== "number")
      for (const summary of readFields(value))
        if (summary.number === 1 && typeof summary.value !== "number") {
          const found = parseValue(summary.value);
          if (found) values.push(found);
        }
  }
  return { step, wallMs, values: Object.fromEntries(values), restarts };
}

const SESSION_START = 1;

/** `SessionLog.status`: 1 is START. */
function isSessionStart(data: Buffer): boolean {
  for (const { number, value } of readFields(data))
    if (number === 1) return value === SESSION_START;
  return false;
}

/** A `Summary.Value`: tag = 1, simple_value = 2, tensor = 8, metadata = 9. */
function parseValue(data: Buffer): [string, MetricValue] | null {
  let tag = "";
  let scalar: number | null = null;
  let plugin: string | null = null;
  for (const { number, value } of readFields(data)) {
    if (number === 1 && typeof value !== "number") tag = value.toString("utf8");
    if (number === 2 && typeof value === "number") scalar = value;
    if (number === 8 && typeof value !== "number") scalar = parseTensor(value);
    if (number === 9 && typeof value !== "number") plugin = pluginOf(value);
  }
  // Only a tag's first value says its plugin; what is one number is a scalar wherever it says none.
  const isScalar = scalar !== null && (plugin === null || plugin === "scalars");
  return isScalar && scalar !== null && tag !== "" ? [tag, metricValueOf(scalar)] : null;
}

/** `SummaryMetadata.plugin_data.plugin_name`. */
function pluginOf(metadata: Buffer): string | null {
  for (const { number, value } of readFields(metadata))
    if (number === 1 && typeof value !== "number")
      for (const inner of readFields(value))
        if (inner.number === 1 && typeof inner.value !== "number")
          return inner.value.toString("utf8");
  return null;
}

/** `DataType` of TensorFlow (types.proto), as many bytes as `tensor_content` has of each, and how they are read. */
const CONTENT: Record<number, { bytes: number; read: (content: Buffer) => number }> = {
  1: { bytes: 4, read: (content) => content.readFloatLE() },
  2: { bytes: 8, read: (content) => content.readDoubleLE() },
  3: { bytes: 4, read: (content) => content.readInt32LE() },
  9: { bytes: 8, read: (content) => Number(content.readBigInt64LE()) },
  19: { bytes: 2, read: (content) => halfOf(content.readUInt16LE()) },
  14: { bytes: 2, read: (content) => floatOfBits(content.readUInt16LE() << 16) },
};
const HALF = 19;
const BFLOAT16 = 14;

/** The one number of a tensor that has one: dtype = 1, tensor_content = 4, float_val = 5, double_val = 6, int_val = 7, int64_val = 10, half_val = 13. */
function parseTensor(data: Buffer): number | null {
  const found: number[] = [];
  let dtype = 0;
  let content: Buffer | null = null;
  for (const { number, value } of readFields(data)) {
    if (number === 1 && typeof value === "number") dtype = value;
    if (number === 4 && typeof value !== "number" && value.length > 0) content = value;
    if (number === 5) found.push(...listOf(value, 4, (bytes, at) => bytes.readFloatLE(at)));
    if (number === 6) found.push(...listOf(value, 8, (bytes, at) => bytes.readDoubleLE(at)));
    if (number === 7 || number === 10 || number === 13) found.push(...varintsOf(value));
  }
  const kind = CONTENT[dtype];
  if (!kind) return null;
  if (content !== null) return content.length === kind.bytes ? kind.read(content) : null;
  const [only] = found;
  if (found.length !== 1 || only === undefined) return null;
  if (dtype === HALF) return halfOf(only);
  return dtype === BFLOAT16 ? floatOfBits(only << 16) : only;
}

/** A repeated field of fixed width: packed, or one at a time. */
function listOf(
  value: number | Buffer,
  width: number,
  read: (bytes: Buffer, at: number) => number,
): number[] {
  if (typeof value === "number") return [value];
  return Array.from({ length: Math.floor(value.length / width) }, (_, i) => read(value, i * width));
}

function varintsOf(value: number | Buffer): number[] {
  if (typeof value === "number") return [value];
  const list: number[] = [];
  for (let at = 0; at < value.length; ) {
    const found = readVarint(value, at);
    list.push(found.value);
    at = found.next;
  }
  return list;
}

function floatOfBits(bits: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(bits | 0);
  return bytes.readFloatLE();
}

/** IEEE 754 binary16. */
function halfOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
