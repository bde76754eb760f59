import { createHash } from "node:crypto";
import type { Message } from "@liverl/contract/trajectory";
import { commonPrefix, commonSuffix } from "#dialects/body/common-bytes.ts";
import { ModelError } from "#dialects/model-error.ts";
import { expectByte, skipBlank, skipString, skipValue } from "#json/skip-value.ts";
import { canonicalMessage } from "#tree/canonical-message.ts";

/** How the elements of a dialect's list become messages. */
export interface ListReader {
  listName: string;
  fold(messages: Message[], element: unknown, raw: string, index: number): void;
}

/** A place between two elements of the list, with all that is needed to go on from there. */
interface Boundary {
  /** Byte after the element. */
  end: number;
  /** Messages so far. Later elements may replace the last one, so it is kept. */
  count: number;
  last: Message | undefined;
  lastKey: string | undefined;
  /** Digest of all bytes up to here. */
  digest: string;
}

interface Field {
  bytes: Buffer;
  value: unknown;
}

/** A request's body, read. The next body of a conversation repeats nearly all of it, so it is kept to go on from. */
export interface ReadBody {
  bytes: Buffer;
  messages: readonly Message[];
  keys: readonly string[];
  /** A pure function of the bytes. */
  digest: string;
  /** The call whose body was nearest, and how many bytes both begin and end with. Never in the middle of a character. */
  shared: { callId: number; head: number; tail: number } | null;
  /** The call that this body began; null until there is one. */
  callId: number | null;
  /** Parsed value of a field; undefined where it is absent. */
  field(name: string): unknown;
  /** Source text of a field. */
  fieldText(name: string): string | null;
  listStart: number;
  boundaries: readonly Boundary[];
  fields: ReadonlyMap<string, Field>;
  /** What a dialect derives from a field's text; shared with the next body for as long as the text stays the same. */
  derive<T>(name: string, make: (text: string) => T): T | null;
  derived: Map<string, { bytes: Buffer; value: unknown }>;
}

/**
 * Far above what agents send, and little work for the process: a body is counted before any of it is parsed, since
 * all sessions wait while one body is read.
 */
const MAX_ELEMENTS = 10_000;
const MAX_VALUES = 100_000;
const MAX_FIELDS = 200;
/** Some milliseconds. */
const ELEMENTS_OF_A_PIECE = 100;

interface ListState {
  start: number;
  boundaries: Boundary[];
  messages: Message[];
  keys: string[];
}

/**
 * Reads a JSON object of which one field is a list that grows from call to call. Equal to parsing it whole, at the cost
 * of what `before` does not share: elements that both begin with are not parsed, folded or made canonical again.
 * Throws ModelError where the body is no JSON object.
 */
export function readBody(bytes: Buffer, reader: ListReader, before: readonly ReadBody[]): ReadBody {
  const reading = readInPieces(bytes, reader, before);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

/** The same, which waits for `pass` before each piece of the work: other sessions go on meanwhile. */
export async function readBodyInTurns(
  bytes: Buffer,
  reader: ListReader,
  before: readonly ReadBody[],
  pass: () => Promise<void>,
): Promise<ReadBody> {
  const reading = readInPieces(bytes, reader, before);
  for (;;) {
    await pass();
    const { done, value } = reading.next();
    if (done) return value;
  }
}

function* readInPieces(
  bytes: Buffer,
  reader: ListReader,
  before: readonly ReadBody[],
): Generator<void, ReadBody, void> {
  try {
    return yield* new BodyReading(bytes, reader, nearest(bytes, before)).read();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw ModelError.invalid(null, `The body is not a JSON object: ${error.message}.`);
  }
}

function nearest(
  bytes: Buffer,
  before: readonly ReadBody[],
): { body: ReadBody; head: number } | null {
  let best: { body: ReadBody; head: number } | null = null;
  for (const body of before) {
    const head = commonPrefix(bytes, body.bytes);
    if (head > (best?.head ?? 0)) best = { body, head };
  }
  return best;
}

class BodyReading {
  readonly #bytes: Buffer;
  readonly #reader: ListReader;
  readonly #near: { body: ReadBody; head: number } | null;
  readonly #fields = new Map<string, Field>();
  readonly #count = { values: 0 };
  #list: ListState = { start: -1, boundaries: [], messages: [], keys: [] };

  constructor(bytes: Buffer, reader: ListReader, near: { body: ReadBody; head: number } | null) {
    this.#bytes = bytes;
    this.#reader = reader;
    this.#near = near;
  }

  *read(): Generator<void, ReadBody, void> {
    const end = yield* this.#readObject();
    if (skipBlank(this.#bytes, end) !== this.#bytes.length)
      throw new SyntaxError(`text follows the object at byte ${end}`);
    const { messages, keys, boundaries, start } = this.#list;
    const last = boundaries.at(-1);
    const digest = digestOf(last?.digest ?? "", this.#bytes.subarray(last?.end ?? 0));
    const fields = this.#fields;
    const derived = new Map<string, { bytes: Buffer; value: unknown }>();
    const old = this.#near?.body.derived;
    const fieldText = (name: string) => fields.get(name)?.bytes.toString("utf8") ?? null;
    return {
      bytes: this.#bytes,
      messages,
      keys,
      digest,
      shared: this.#shared(),
      callId: null,
      field: (name) => fields.get(name)?.value,
      fieldText,
      listStart: start,
      boundaries,
      fields,
      derived,
      derive<T>(name: string, make: (text: string) => T): T | null {
        const field = fields.get(name);
        if (!field) return null;
        const held = derived.get(name) ?? old?.get(name);
        const value = held?.bytes.equals(field.bytes)
          ? (held.value as T)
          : make(fieldText(name) ?? "");
        derived.set(name, { bytes: field.bytes, value });
        return value;
      },
    };
  }

  *#readObject(): Generator<void, number, void> {
    let at = expectByte(this.#bytes, 0, "{");
    if (this.#bytes[skipBlank(this.#bytes, at)] === CLOSE_BRACE)
      return skipBlank(this.#bytes, at) + 1;
    for (;;) {
      at = skipBlank(this.#bytes, at);
      const keyEnd = this.#bytes[at] === QUOTE ? skipString(this.#bytes, at) : at;
      const key = String(JSON.parse(this.#bytes.toString("utf8", at, keyEnd)));
      at = yield* this.#readField(
        key,
        skipBlank(this.#bytes, expectByte(this.#bytes, keyEnd, ":")),
      );
      const next = skipBlank(this.#bytes, at);
      if (this.#bytes[next] === CLOSE_BRACE) return next + 1;
      at = expectByte(this.#bytes, next, ",");
    }
  }

  *#readField(key: string, at: number): Generator<void, number, void> {
    if (key === this.#reader.listName && this.#bytes[at] === OPEN_BRACKET) {
      this.#fields.delete(key);
      return yield* this.#readList(at);
    }
    const end = skipValue(this.#bytes, at, this.#count);
    this.#checkValues();
    if (this.#fields.size >= MAX_FIELDS)
      throw ModelError.invalid(null, `The body has more than ${MAX_FIELDS} fields.`);
    const bytes = this.#bytes.subarray(at, end);
    const held = this.#near?.body.fields.get(key);
    const value = held?.bytes.equals(bytes) ? held.value : JSON.parse(bytes.toString("utf8"));
    this.#fields.set(key, { bytes, value });
    return end;
  }

  *#readList(start: number): Generator<void, number, void> {
    const list = this.#resume(start);
    this.#list = list;
    let at = list.boundaries.at(-1)?.end ?? start + 1;
    this.#countElements(list, at);
    if (list.boundaries.length === 0) {
      const first = skipBlank(this.#bytes, at);
      if (this.#bytes[first] === CLOSE_BRACKET) return first + 1;
      at = this.#readElement(list, first);
    }
    for (;;) {
      const next = skipBlank(this.#bytes, at);
      if (this.#bytes[next] === CLOSE_BRACKET) return next + 1;
      at = this.#readElement(list, skipBlank(this.#bytes, expectByte(this.#bytes, next, ",")));
      if (list.boundaries.length % ELEMENTS_OF_A_PIECE === 0) yield;
    }
  }

  /** Throws before the first element is parsed where there are too many. What is no list is found out by whoever parses it. */
  #countElements(list: ListState, from: number): void {
    let elements = list.boundaries.length;
    for (let at = from; ; elements++) {
      at = skipBlank(this.#bytes, at);
      if (this.#bytes[at] === COMMA) at = skipBlank(this.#bytes, at + 1);
      if (at >= this.#bytes.length || this.#bytes[at] === CLOSE_BRACKET) return;
      if (elements >= MAX_ELEMENTS)
        // In the words by which clients see that they have to compact their history.
        throw new ModelError(
          "overflow",
          `prompt is too long: ${this.#reader.listName} has more than ${MAX_ELEMENTS} elements. Please reduce the length of the messages.`,
          { param: this.#reader.listName, code: "context_length_exceeded" },
        );
      at = skipValue(this.#bytes, at, this.#count);
      this.#checkValues();
    }
  }

  #checkValues(): void {
    if (this.#count.values > MAX_VALUES)
      throw ModelError.invalid(
        null,
        `The body has more than ${MAX_VALUES} values, lists and objects included: send fewer messages, content parts or tools.`,
      );
  }

  /** The part of the last body's list that this one begins with, too. */
  #resume(start: number): ListState {
    const fresh: ListState = { start, boundaries: [], messages: [], keys: [] };
    if (!this.#near || this.#near.body.listStart !== start) return fresh;
    const { body, head } = this.#near;
    const same = body.boundaries.filter((boundary) => boundary.end <= head);
    const last = same.at(-1);
    if (!last) return fresh;
    const messages = body.messages.slice(0, last.count);
    const keys = body.keys.slice(0, last.count);
    if (last.last !== undefined && last.lastKey !== undefined) {
      messages[last.count - 1] = last.last;
      keys[last.count - 1] = last.lastKey;
    }
    return { start, boundaries: same, messages, keys };
  }

  #readElement(list: ListState, at: number): number {
    const end = skipValue(this.#bytes, at);
    const raw = this.#bytes.toString("utf8", at, end);
    const count = list.messages.length;
    const before = list.messages.at(-1);
    this.#reader.fold(list.messages, JSON.parse(raw), raw, list.boundaries.length);
    // What was there stays as it is, but for the last one.
    const from = list.messages[count - 1] === before ? count : count - 1;
    list.keys.length = from;
    for (const message of list.messages.slice(from)) list.keys.push(canonicalMessage(message));
    const previous = list.boundaries.at(-1);
    list.boundaries.push({
      end,
      count: list.messages.length,
      last: list.messages.at(-1),
      lastKey: list.keys.at(-1),
      digest: digestOf(previous?.digest ?? "", this.#bytes.subarray(previous?.end ?? 0, end)),
    });
    return end;
  }

  #shared(): ReadBody["shared"] {
    if (!this.#near) return null;
    const { body, head } = this.#near;
    const { callId } = body;
    if (callId === null) return null;
    const most = Math.min(this.#bytes.length, body.bytes.length) - head;
    return {
      callId,
      head: characterStart(this.#bytes, head, -1),
      tail:
        this.#bytes.length -
        characterStart(
          this.#bytes,
          this.#bytes.length - commonSuffix(this.#bytes, body.bytes, most),
          1,
        ),
    };
  }
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The nearest place in a direction at which a character of UTF-8 starts. */
function characterStart(bytes: Buffer, at: number, direction: 1 | -1): number {
  let place = at;
  while (place > 0 && place < bytes.length && ((bytes[place] ?? 0) & 0xc0) === 0x80)
    place += direction;
  return place;
}

function digestOf(before: string, bytes: Uint8Array): string {
  return createHash("sha256").update(before).update(bytes).digest("base64url");
}
