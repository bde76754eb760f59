import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { GenerateRequest } from "@liverl/contract/engine-api";
import { z } from "zod";

const AbortRequests = z.object({ request_ids: z.array(z.string()) });

/** What the stand-in does with one request. Everything is optional: by default it answers `ids` and stops. */
export interface ScriptedTurn {
  ids: number[];
  finish?: "stop" | "length" | "abort";
  /** Log-prob of each id; -0.5 - i/100 by default. `null` leaves it out. */
  logprobs?: (number | null)[];
  /** Version of each id; the stand-in's own by default. */
  versions?: string[];
  /** Tell no versions, as `/v1/completions` does. */
  noVersions?: boolean;
  /** Tell expert routing: row `[[p, 1], [p, 2]]` for the token at position `p`. */
  routes?: boolean;
  idsPerChunk?: number;
  /** Wait before each chunk. */
  delayMs?: number;
  /** Hold the answer until it resolves. */
  until?: Promise<void>;
  /** Answer with this status and no tokens. */
  status?: number;
  /** Cut the connection after so many chunks. */
  dieAfterChunks?: number;
  /** Send `[DONE]` without a finish reason. */
  noFinish?: boolean;
  /** Send all ids, however few were asked for. */
  ignoresBudget?: boolean;
}

export interface SeenRequest {
  request: GenerateRequest;
  /** Ids that were sent to the client before the end or the disconnect. */
  sent: number[];
  disconnected: boolean;
  /** Whether it was asked to end by its id. */
  aborted: boolean;
  authorization: string | undefined;
}

/**
 * A stand-in for an engine: a real HTTP server that speaks `/inference/v1/generate` as vLLM 0.32 streams it,
 * with the tokens that the test's script gives.
 */
export class EngineStandIn {
  readonly seen: SeenRequest[] = [];
  version = "1";
  /** Whether it serves `/weight_info`. */
  tellsVersion = false;
  healthy = true;
  /** Whether it takes aborts by id. */
  takesAborts = true;
  /** Log-prob of a prompt's id, as it is asked with `prompt_logprobs`. */
  scoreOf = (id: number, position: number): number | null => -id / 100 - position / 10_000;
  script: (request: GenerateRequest, index: number) => ScriptedTurn;
  readonly #server: Server;

  private constructor(script: (request: GenerateRequest, index: number) => ScriptedTurn) {
    this.script = script;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(
    script: (request: GenerateRequest, index: number) => ScriptedTurn,
    port = 0,
  ): Promise<EngineStandIn> {
    const engine = new EngineStandIn(script);
    await new Promise<void>((resolve) => engine.#server.listen(port, "127.0.0.1", resolve));
    return engine;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/health") {
      response.writeHead(this.healthy ? 200 : 503).end();
      return;
    }
    if (request.url === "/weight_info") {
      response
        .writeHead(this.tellsVersion ? 200 : 404)
        .end(JSON.stringify({ weight_version: this.version }));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const sent: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (request.url === "/inference/v1/abort_requests") {
      if (this.takesAborts) this.#abort(AbortRequests.parse(sent).request_ids);
      response.writeHead(this.takesAborts ? 200 : 404).end();
      return;
    }
    const body = GenerateRequest.parse(sent);
    const seen: SeenRequest = {
      request: body,
      sent: [],
      disconnected: false,
      aborted: false,
      authorization: request.headers.authorization,
    };
    this.seen.push(seen);
    response.once("close", () => {
      seen.disconnected = !response.writableFinished;
    });
    const turn = this.script(body, this.seen.length - 1);
    if (turn.status !== undefined) {
      response
        .writeHead(turn.status, { "content-type": "application/json" })
        .end('{"error":{"message":"scripted","type":"BadRequestError","param":null,"code":400}}');
      return;
    }
    if (body.sampling_params.prompt_logprobs === undefined)
      await this.#stream(response, turn, seen);
    else await this.#score(response, turn, body);
  }

  async #score(
    response: ServerResponse,
    { delayMs = 0 }: ScriptedTurn,
    { token_ids, request_id }: GenerateRequest,
  ): Promise<void> {
    await sleep(delayMs);
    const scores = token_ids.map((id, at) =>
      at === 0 ? null : { [id]: { logprob: this.scoreOf(id, at), rank: 1 } },
    );
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ request_id, choices: [], prompt_logprobs: scores }));
  }

  #abort(ids: readonly string[]): void {
    for (const seen of this.seen)
      if (ids.includes(`generate-tokens-${seen.request.request_id}`)) seen.aborted = true;
  }

  async #stream(response: ServerResponse, turn: ScriptedTurn, seen: SeenRequest): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    const { finish: planned = "stop", idsPerChunk = 1, delayMs = 0 } = turn;
    await turn.until;
    const ids = turn.ignoresBudget
      ? turn.ids
      : turn.ids.slice(0, seen.request.sampling_params.max_tokens);
    const reason = ids.length < turn.ids.length ? "length" : planned;
    const count = Math.max(1, Math.ceil(ids.length / idsPerChunk));
    for (let k = 0; k < count; k++) {
      if (delayMs > 0) await sleep(delayMs);
      if (response.destroyed) return;
      if (turn.dieAfterChunks === k) {
        response.destroy();
        return;
      }
      const from = k * idsPerChunk;
      const part = ids.slice(from, from + idsPerChunk);
      seen.sent.push(...part);
      const finish = endOf(turn, seen, k === count - 1 ? reason : null);
      const spans = finish === null || turn.noVersions ? null : this.#spans(turn, seen.sent.length);
      response.write(
        `data: ${JSON.stringify(chunkOf(seen.request, part, from, turn, finish, spans))}\n\n`,
      );
      if (seen.aborted) break;
    }
    response.end("data: [DONE]\n\n");
  }

  #spans(turn: ScriptedTurn, length: number): { version: string; start: number; end: number }[] {
    if (!turn.versions) return [{ version: this.version, start: 0, end: length }];
    return turn.versions.slice(0, length).map((version, i) => ({ version, start: i, end: i + 1 }));
  }
}

function endOf(turn: ScriptedTurn, seen: SeenRequest, planned: string | null): string | null {
  if (seen.aborted) return "abort";
  return turn.noFinish ? null : planned;
}

function chunkOf(
  request: GenerateRequest,
  ids: number[],
  from: number,
  turn: ScriptedTurn,
  finish: string | null,
  versions: unknown,
) {
  const content = ids.map((id, i) => {
    const logprob = turn.logprobs ? turn.logprobs[from + i] : -0.5 - (from + i) / 100;
    return { token_id: id, ...(logprob == null ? {} : { logprob }), rank: 1, top_logprobs: [] };
  });
  return {
    request_id: `generate-tokens-${request.request_id}`,
    usage: null,
    output_mode: "tokens",
    choices: [
      {
        index: 0,
        finish_reason: finish,
        stop_reason: null,
        token_ids: ids,
        routed_experts:
          turn.routes && finish !== null ? routesOf(request, from + ids.length) : null,
        sampling_mask: null,
        weight_versions: versions,
        logprobs: { content },
      },
    ],
  };
}

/** numpy's format 1, a row for each token but the last, from where the request says on. */
function routesOf(request: GenerateRequest, sampled: number): string {
  const start = request.sampling_params.routed_experts_prompt_start ?? 0;
  const rows = request.token_ids.length + sampled - 1 - start;
  const dict = `{'descr': '<i4', 'fortran_order': False, 'shape': (${rows}, 2, 2), }`;
  const header = `${dict.padEnd(117)}\n`;
  const head = Buffer.from(`\u0093NUMPY\u0001\u0000\u0000\u0000${header}`, "latin1");
  head.writeUInt16LE(header.length, 8);
  const data = Int32Array.from({ length: rows * 4 }, (_, i) =>
    i % 2 === 0 ? start + Math.floor(i / 4) : 1 + (Math.floor(i / 2) % 2),
  );
  return Buffer.concat([head, Buffer.from(data.buffer)]).toString("base64");
}
