import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer as it was recorded: `events` are a stream's, in order. */
export interface RecordedAnswer {
  status: number;
  body?: unknown;
  text?: string;
  events?: unknown[];
}

/** A stand-in for an engine: gives answers recorded from a real one, by path, and keeps what it was asked. */
export class ReplayEngine {
  readonly asked: { path: string; body: Record<string, unknown> | null }[] = [];
  answers: Record<string, RecordedAnswer>;
  readonly #server: Server;

  private constructor(answers: Record<string, RecordedAnswer>) {
    this.answers = answers;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(answers: Record<string, RecordedAnswer>): Promise<ReplayEngine> {
    const engine = new ReplayEngine(answers);
    await new Promise<void>((resolve) => engine.#server.listen(0, "127.0.0.1", resolve));
    return engine;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  bodies(path: string): Record<string, unknown>[] {
    return this.asked.flatMap((asked) => (asked.path === path && asked.body ? [asked.body] : []));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    const path = request.url ?? "";
    this.asked.push({ path, body: text === "" ? null : JSON.parse(text) });
    const answer = this.answers[path] ?? { status: 404, body: { detail: "Not Found" } };
    response.writeHead(answer.status, {
      "content-type": answer.events ? "text/event-stream; charset=utf-8" : "application/json",
    });
    for (const event of answer.events ?? [])
      response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    response.end(answer.text ?? (answer.body === undefined ? "" : JSON.stringify(answer.body)));
  }
}
