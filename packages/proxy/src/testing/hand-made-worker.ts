import { type FromWorker, RELAY_PROTOCOL, ToWorker } from "@liverl/contract/relay";
import { WebSocket } from "ws";
import { decodeFrame, encodeFrame } from "#relay/frame.ts";

export interface HeardFrame {
  message: ToWorker;
  ids: number[];
}

/** A worker made of frames alone, as docs/relay.md tells a framework to write one. */
export class HandMadeWorker {
  readonly heard: HeardFrame[] = [];
  /** Answers a frame; the test's script. */
  onFrame: (frame: HeardFrame) => void = () => {};
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;

  constructor(url: string, token: string) {
    this.#socket = new WebSocket(url, RELAY_PROTOCOL, {
      headers: { authorization: `Bearer ${token}` },
    });
    this.closed = new Promise((resolve) => {
      this.#socket.once("error", (error) => resolve({ code: 0, reason: error.message }));
      this.#socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    this.#socket.on("message", (data: Buffer) => {
      const { header, ids } = decodeFrame(data);
      const frame = { message: ToWorker.parse(header), ids };
      this.heard.push(frame);
      this.onFrame(frame);
    });
  }

  async opened(): Promise<this> {
    await new Promise((resolve, reject) => {
      this.#socket.once("open", resolve);
      this.#socket.once("error", reject);
    });
    return this;
  }

  say(message: FromWorker, ids: number[] = [], logprobs: number[] = []): void {
    this.#socket.send(encodeFrame(message, ids, logprobs));
  }

  sayBytes(bytes: Buffer): void {
    this.#socket.send(bytes);
  }

  close(): void {
    this.#socket.terminate();
  }
}
