import type { Readable, Writable } from "node:stream";
import {
  type ConnectionCarrier,
  MAX_PAYLOAD_BYTES,
  TunnelConnection,
} from "#scaffolds/tunnel/tunnel-connection.ts";

/** A frame: connection (4 bytes), kind (1), length of what follows (4). */
const HEADER_BYTES = 9;
const KIND = { open: 1, data: 2, end: 3, close: 4, credit: 5, ready: 6 } as const;
const MAX_CONNECTIONS = 64;
const EMPTY = Buffer.alloc(0);

export interface LinkEvents {
  /** The other side has opened one; never called at the side that opens. */
  onConnection?(connection: TunnelConnection): void;
  /** The other side listens. */
  onReady?(port: number): void;
}

/**
 * Many connections over one pair of streams, whose other side may be hostile: frames, connections and what waits in them
 * are bounded, and what breaks the protocol ends the link.
 */
export class TunnelLink implements ConnectionCarrier {
  /** Resolves when the input has ended; with what was wrong with it, or null. */
  readonly ended: Promise<Error | null>;
  readonly #output: Writable;
  readonly #events: LinkEvents;
  readonly #connections = new Map<number, TunnelConnection>();
  #lastId = 0;
  #isOver = false;

  constructor(input: Readable, output: Writable, events: LinkEvents = {}) {
    this.#output = output;
    this.#events = events;
    output.on("error", () => this.close());
    this.ended = this.#listen(input).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
    void this.ended.then(() => this.close());
  }

  /** Null where there are too many. */
  open(): TunnelConnection | null {
    if (this.#isOver || this.#connections.size >= MAX_CONNECTIONS) return null;
    const id = ++this.#lastId;
    this.#send(id, KIND.open, EMPTY);
    return this.#add(id);
  }

  sayReady(port: number): void {
    this.#send(0, KIND.ready, numberBytes(port));
  }

  /** Cuts every connection. The streams stay their owner's. */
  close(): void {
    this.#isOver = true;
    for (const connection of [...this.#connections.values()]) connection.destroy();
  }

  sendData(id: number, data: Buffer): void {
    this.#send(id, KIND.data, data);
  }

  sendEnd(id: number): void {
    this.#send(id, KIND.end, EMPTY);
  }

  sendCredit(id: number, bytes: number): void {
    this.#send(id, KIND.credit, numberBytes(bytes));
  }

  forget(id: number, isWhole: boolean): void {
    if (this.#connections.delete(id) && !isWhole) this.#send(id, KIND.close, EMPTY);
  }

  #add(id: number): TunnelConnection {
    const connection = new TunnelConnection(id, this);
    // Who uses it listens too; a cut alone must not end the process.
    connection.on("error", () => undefined);
    this.#connections.set(id, connection);
    return connection;
  }

  #send(id: number, kind: number, payload: Buffer): void {
    if (this.#isOver || !this.#output.writable) return;
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(id, 0);
    header.writeUInt8(kind, 4);
    header.writeUInt32BE(payload.length, 5);
    this.#output.write(payload.length === 0 ? header : Buffer.concat([header, payload]));
  }

  async #listen(input: Readable): Promise<void> {
    let rest: Buffer = EMPTY;
    for await (const chunk of input) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length >= HEADER_BYTES) {
        const length = rest.readUInt32BE(5);
        if (length > MAX_PAYLOAD_BYTES) throw new Error("a frame is too long");
        if (rest.length < HEADER_BYTES + length) break;
        const payload = rest.subarray(HEADER_BYTES, HEADER_BYTES + length);
        this.#take(rest.readUInt32BE(0), rest.readUInt8(4), payload);
        rest = rest.subarray(HEADER_BYTES + length);
      }
    }
  }

  #take(id: number, kind: number, payload: Buffer): void {
    const connection = this.#connections.get(id);
    if (kind === KIND.open) this.#accept(id);
    else if (kind === KIND.data) connection?.receive(Buffer.from(payload));
    else if (kind === KIND.end) connection?.receiveEnd();
    else if (kind === KIND.close) connection?.destroy();
    else if (kind === KIND.credit) connection?.receiveCredit(numberOf(payload));
    else if (kind === KIND.ready) this.#events.onReady?.(numberOf(payload));
    else throw new Error(`a frame of no known kind: ${kind}`);
  }

  #accept(id: number): void {
    const { onConnection } = this.#events;
    if (!onConnection || this.#connections.has(id)) throw new Error("a connection that may not be");
    if (this.#connections.size >= MAX_CONNECTIONS) this.#send(id, KIND.close, EMPTY);
    else onConnection(this.#add(id));
  }
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function numberOf(payload: Buffer): number {
  if (payload.length !== 4) throw new Error("a frame that should hold a number does not");
  return payload.readUInt32BE(0);
}
