import type { ServerResponse } from "node:http";
import { buildCompletionChunks, type CommittedTurn } from "#calls/build-completion.ts";
import type { OpenAiError } from "#server/openai-error.ts";

const HEARTBEAT_MS = 5_000;
const HEARTBEAT = ": waiting for the model\n\n";

/**
 * An answer as server-sent events. Until the turn is durable only comments are sent: a client acts on a
 * finished tool call before the last event, so nothing that completes one may leave earlier.
 */
export class CompletionStream {
  readonly #response: ServerResponse;
  #heartbeat: NodeJS.Timeout | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isOpen(): boolean {
    return this.#response.headersSent;
  }

  open(): void {
    if (this.isOpen || this.#response.destroyed) return;
    this.#response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
    this.#response.write(HEARTBEAT);
    this.#heartbeat = setInterval(() => this.#response.write(HEARTBEAT), HEARTBEAT_MS);
    this.#response.once("close", () => this.#stop());
  }

  finish(sessionId: string, model: string, turn: CommittedTurn, includeUsage: boolean): void {
    this.open();
    this.#stop();
    const chunks = buildCompletionChunks(sessionId, model, turn, includeUsage);
    this.#response.end(
      `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`,
    );
  }

  fail(error: OpenAiError): void {
    this.#stop();
    this.#response.end(`data: ${JSON.stringify(error.body)}\n\n`);
  }

  #stop(): void {
    if (this.#heartbeat) clearInterval(this.#heartbeat);
    this.#heartbeat = null;
  }
}
