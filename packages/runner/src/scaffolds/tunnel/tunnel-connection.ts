import { Duplex } from "node:stream";

/** Bytes that one side may send before the other has taken them. */
export const WINDOW_BYTES = 256 * 1024;
export const MAX_PAYLOAD_BYTES = 64 * 1024;

/** What a connection asks of the link that carries it. */
export interface ConnectionCarrier {
  sendData(id: number, data: Buffer): void;
  sendEnd(id: number): void;
  sendCredit(id: number, bytes: number): void;
  /** `isWhole`: both sides have said their end. */
  forget(id: number, isWhole: boolean): void;
}

/** One of the connections that a link carries. Writing waits while the other side does not read. */
export class TunnelConnection extends Duplex {
  readonly #id: number;
  readonly #carrier: ConnectionCarrier;
  #credit = WINDOW_BYTES;
  #waiting: { data: Buffer; done: (error?: Error | null) => void } | null = null;
  #untaken = 0;
  #hasSentEnd = false;
  #hasHeardEnd = false;

  constructor(id: number, carrier: ConnectionCarrier) {
    super({ allowHalfOpen: true });
    this.#id = id;
    this.#carrier = carrier;
  }

  /** Throws where the other side sends more than it may. */
  receive(data: Buffer): void {
    this.#untaken += data.length;
    if (this.#untaken > WINDOW_BYTES) throw new Error("the other side does not wait for credit");
    if (this.push(data)) this.#giveCredit();
  }

  receiveEnd(): void {
    if (this.#hasHeardEnd) return;
    this.#hasHeardEnd = true;
    this.push(null);
  }

  receiveCredit(bytes: number): void {
    this.#credit = Math.min(this.#credit + bytes, WINDOW_BYTES);
    this.#sendWaiting();
  }

  override _read(): void {
    this.#giveCredit();
  }

  override _write(data: Buffer, _: string, done: (error?: Error | null) => void): void {
    this.#waiting = { data, done };
    this.#sendWaiting();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#hasSentEnd = true;
    this.#carrier.sendEnd(this.#id);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#carrier.forget(this.#id, this.#hasSentEnd && this.#hasHeardEnd);
    done(error);
  }

  #giveCredit(): void {
    if (this.#untaken === 0) return;
    const bytes = this.#untaken;
    this.#untaken = 0;
    this.#carrier.sendCredit(this.#id, bytes);
  }

  #sendWaiting(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    while (waiting.data.length > 0 && this.#credit > 0) {
      const size = Math.min(waiting.data.length, this.#credit, MAX_PAYLOAD_BYTES);
      this.#carrier.sendData(this.#id, waiting.data.subarray(0, size));
      this.#credit -= size;
      waiting.data = waiting.data.subarray(size);
    }
    if (waiting.data.length > 0) return;
    this.#waiting = null;
    waiting.done();
  }
}
