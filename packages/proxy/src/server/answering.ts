import type { ServerResponse } from "node:http";
import type { Call } from "@liverl/contract/trajectory";
import type { CommittedTurn } from "#calls/committed-turn.ts";
import type { TurnListener } from "#calls/run-call.ts";
import type { AnswerHead, AnswerStream, LiveText, ParsedCall } from "#dialects/dialect.ts";
import type { ModelError } from "#dialects/model-error.ts";
import { sendJson } from "#server/http-exchange.ts";

const BEAT_EVERY_MS = 5_000;
/** Clients that asked for one JSON give up after 120 to 300 s without a byte; white space before it is no fault. */
const FIRST_SPACE_MS = 30_000;

/**
 * One client's answer as it goes out. A stream opens when the prompt is accepted and beats until the turn is durable:
 * nothing that a client acts on leaves earlier. A whole answer is sent at once, after spaces if it took long.
 */
export class Answering implements TurnListener {
  readonly #response: ServerResponse;
  readonly #parsed: ParsedCall;
  readonly #headOf: (call: Call) => AnswerHead;
  #stream: AnswerStream | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(response: ServerResponse, parsed: ParsedCall, headOf: (call: Call) => AnswerHead) {
    this.#response = response;
    this.#parsed = parsed;
    this.#headOf = headOf;
    response.once("close", () => this.#stop());
  }

  /** Whether the status has left: errors have to be told in the stream, then. */
  get isOpen(): boolean {
    return this.#response.headersSent;
  }

  began(call: Call): void {
    if (this.isOpen || this.#response.destroyed) return;
    if (!this.#parsed.request.stream) {
      this.#timer = setTimeout(() => this.#space(), FIRST_SPACE_MS);
      return;
    }
    this.#stream = this.#parsed.startStream(this.#headOf(call));
    this.#response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
    this.#response.write(this.#stream.open());
    this.#timer = setInterval(() => this.#beat(), BEAT_EVERY_MS);
  }

  live(text: LiveText): void {
    if (this.#stream) this.#response.write(this.#stream.live(text));
  }

  end(turn: CommittedTurn): void {
    this.#stop();
    if (this.#stream) {
      this.#response.end(this.#stream.end(turn));
      return;
    }
    const answer = this.#parsed.answer(this.#headOf(turn.call), turn);
    if (this.isOpen) this.#response.end(JSON.stringify(answer));
    else sendJson(this.#response, 200, answer);
  }

  /** A stream says what went wrong; a half answer of another sort is cut off, which no client takes for a whole one. */
  fail(error: ModelError): void {
    this.#stop();
    if (this.#stream) this.#response.end(this.#stream.fail(error));
    else this.#response.destroy();
  }

  #beat(): void {
    if (this.#stream) this.#response.write(this.#stream.beat());
  }

  #space(): void {
    if (!this.isOpen) this.#response.writeHead(200, { "content-type": "application/json" });
    this.#response.write(" ");
    this.#timer = setTimeout(() => this.#space(), BEAT_EVERY_MS);
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
