import { z } from "zod";

export const TRAINED_TOKENS_FORMAT = "liverl-trained-tokens/1";

/**
 * Why the loss left a segment out, so that its tokens have no ratio: its advantage is 0 and no other term touches it, or the
 * critic trained alone (`critic.critic_warmup`).
 */
export const OutOfLoss = z.enum(["no-advantage", "critic-warmup"]);
export type OutOfLoss = z.infer<typeof OutOfLoss>;

/** One segment that an update took. */
export const TrainedSegment = z.object({
  rolloutId: z.string(),
  sessionId: z.string(),
  segmentId: z.number().int(),
  /** `[from, to)` of the columns' rows: its trained tokens, in order. */
  rows: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
  outOfLoss: OutOfLoss.nullable(),
});
export type TrainedSegment = z.infer<typeof TrainedSegment>;

/** The update whose tokens a file holds. */
export const TrainedUpdate = z.object({
  format: z.literal(TRAINED_TOKENS_FORMAT),
  runId: z.string(),
  attempt: z.number().int(),
  /** The step that it belongs to, and its place in the step. */
  step: z.number().int(),
  update: z.number().int(),
  /** Weights of the engines meanwhile; `isSynced`: those that the trainer scored with are the same. */
  version: z.number().int(),
  isSynced: z.boolean(),
  /** Passes over the batch. `ratio` and `clipped` are those of the last one. */
  epochs: z.number().int().positive(),
  /** At which log-probs and entropies are taken. */
  temperature: z.number().positive(),
  /** What a ratio belongs to: gspo gives all tokens of a segment one. */
  ratioOf: z.enum(["token", "sequence"]),
  /** What it compares with: the trainer's log-probs before the update, or those that the engine sampled with. */
  ratioTo: z.enum(["trainer", "rollout"]),
  /** The loss stops pulling below `1 − low` and above `1 + high`. */
  clip: z.object({ low: z.number().nonnegative(), high: z.number().nonnegative() }),
  segments: z.array(TrainedSegment),
});
export type TrainedUpdate = z.infer<typeof TrainedUpdate>;

/** Type and size in bytes of each column's values, in the order of the file. `value` is there with a critic only. */
export const TRAINED_COLUMNS = {
  position: ["I32", 4],
  trainer_log_prob: ["F32", 4],
  entropy: ["F32", 4],
  advantage: ["F32", 4],
  ratio: ["F32", 4],
  value: ["F32", 4],
  clipped: ["U8", 1],
} as const;
type ColumnName = keyof typeof TRAINED_COLUMNS;
const COLUMN_NAMES = Object.keys(TRAINED_COLUMNS) as ColumnName[];

/** A row for each token that trained. Log-probs and entropies are in nats. Not finite is what the trainer got, too. */
export interface TrainedColumns {
  /** Place of the token in its segment, from 0. */
  position: Int32Array;
  /** By the trainer's weights before the update. */
  trainer_log_prob: Float32Array;
  /** Of the distribution over the whole vocabulary at the token's place, by the same weights. */
  entropy: Float32Array;
  /** As the loss took it. */
  advantage: Float32Array;
  /** As the loss of the last epoch saw it; NaN in a segment that is out of the loss. */
  ratio: Float32Array;
  /** The critic's estimate before the update; null without a critic. */
  value: Float32Array | null;
  /** 1 where the clip cut the gradient of the last epoch. */
  clipped: Uint8Array;
}

const NAME = /^step_(\d+)\.(\d+)\.safetensors$/;

/** Name of an update's file. */
export const trainedName = ({ step, update }: { step: number; update: number }) =>
  `step_${step}.${update}.safetensors`;

/** Null for what is no such file. */
export function parseTrainedName(name: string): { step: number; update: number } | null {
  const found = NAME.exec(name);
  return found && { step: Number(found[1]), update: Number(found[2]) };
}

const HEAD_BYTES = 8;
const MOST_HEADER_BYTES = 64 * 1024 * 1024;

/** The bytes of a safetensors file: header length (u64, little-endian), JSON header, the columns. */
export function encodeTrainedTokens(update: TrainedUpdate, columns: TrainedColumns): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { liverl: JSON.stringify(update) } };
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const name of COLUMN_NAMES) {
    const values = columns[name];
    if (values === null) continue;
    if (values.length !== columns.position.length)
      throw new Error(`column ${name} has ${values.length} rows of ${columns.position.length}`);
    const [dtype] = TRAINED_COLUMNS[name];
    const offsets = [end, end + values.byteLength];
    header[name] = { dtype, shape: [values.length], data_offsets: offsets };
    parts.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    end += values.byteLength;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  // Padded with spaces, so that values are aligned in the file.
  const length = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(HEAD_BYTES + length + end);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(text, HEAD_BYTES);
  bytes.fill(0x20, HEAD_BYTES + text.length, HEAD_BYTES + length);
  let at = HEAD_BYTES + length;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const Tensor = z.object({
  dtype: z.string(),
  shape: z.tuple([z.number().int().nonnegative()]),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});

export interface TrainedHeader {
  update: TrainedUpdate;
  rows: number;
  /** Offset in the file of each column that is there. */
  columns: ReadonlyMap<ColumnName, number>;
}

/** Reads `length` bytes from an offset of the file on. */
export type ReadBytes = (at: number, length: number) => Promise<Uint8Array>;

/** Throws an Error that says what is wrong with a file that is none. */
export async function readTrainedHeader(read: ReadBytes): Promise<TrainedHeader> {
  const head = await readExactly(read, 0, HEAD_BYTES);
  const length = Number(viewOf(head).getBigUint64(0, true));
  if (length > MOST_HEADER_BYTES) throw new Error("not a safetensors file: its header is too long");
  const text = new TextDecoder().decode(await readExactly(read, HEAD_BYTES, length));
  const { __metadata__: metadata, ...tensors } = z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(text));
  const { liverl } = z.object({ liverl: z.string() }).parse(metadata);
  const update = TrainedUpdate.parse(JSON.parse(liverl));
  const columns = new Map<ColumnName, number>();
  const rows = Tensor.parse(tensors.position).shape[0];
  for (const name of COLUMN_NAMES) {
    if (name === "value" && !("value" in tensors)) continue;
    const { dtype, shape, data_offsets } = Tensor.parse(tensors[name]);
    const [type, size] = TRAINED_COLUMNS[name];
    const [from, to] = data_offsets;
    if (dtype !== type || shape[0] !== rows || to - from !== rows * size)
      throw new Error(`column ${name} is no ${type}[${rows}]`);
    columns.set(name, HEAD_BYTES + length + from);
  }
  if (update.segments.some(({ rows: [from, to] }) => from > to || to > rows))
    throw new Error("a segment has rows that the file has not");
  return { update, rows, columns };
}

/** Some rows of every column. */
export async function readTrainedRows(
  read: ReadBytes,
  { columns }: Pick<TrainedHeader, "columns">,
  [from, to]: readonly [number, number],
): Promise<TrainedColumns> {
  const bytes = async (name: ColumnName) => {
    const at = columns.get(name);
    if (at === undefined) return null;
    const [, size] = TRAINED_COLUMNS[name];
    // A copy: what was read need not be aligned.
    return new Uint8Array(await readExactly(read, at + from * size, (to - from) * size));
  };
  const present = async (name: ColumnName) => (await bytes(name)) ?? new Uint8Array();
  const floats = async (name: ColumnName) => new Float32Array((await present(name)).buffer);
  return {
    position: new Int32Array((await present("position")).buffer),
    trainer_log_prob: await floats("trainer_log_prob"),
    entropy: await floats("entropy"),
    advantage: await floats("advantage"),
    ratio: await floats("ratio"),
    value: columns.has("value") ? await floats("value") : null,
    clipped: await present("clipped"),
  };
}

async function readExactly(read: ReadBytes, at: number, length: number): Promise<Uint8Array> {
  const bytes = await read(at, length);
  if (bytes.length !== length) throw new Error("the file is cut off");
  return bytes;
}

const viewOf = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
