import { FromWorker, RELAY_HEARTBEAT_MS, type ToWorker } from "@liverl/contract/relay";
import type { WebSocket } from "ws";
import {
  EngineAway,
  EngineFull,
  EngineRefusal,
  type EngineTurn,
  type GenerateChunk,
  type InferenceBackend,
} from "#backends/inference-backend.ts";
import type { TokenPrompt } from "#backends/token-prompt.ts";
import { decodeFrame, digestOf, encodeFrame, type Frame } from "#relay/frame.ts";
import { KeptPrefixes, sharedLength } from "#relay/kept-prefixes.ts";
import { PendingChunks } from "#relay/pending-chunks.ts";

type Said<T extends FromWorker["t"]> = Extract<FromWorker, { t: T }>;

interface OpenTurn {
  turn: EngineTurn;
  chunks: PendingChunks;
  sampled: number[];
}

const SILENT_AFTER_MS = 3 * RELAY_HEARTBEAT_MS;

/** The proxy's side of one worker that dialled in. Only ids that the worker does not hold yet travel. */
export class WorkerLink implements InferenceBackend {
  readonly #socket: WebSocket;
  readonly #turns = new Map<string, OpenTurn>();
  readonly #scores = new Map<string, (scored: (number | null)[] | Error) => void>();
  readonly #prefixes = new KeptPrefixes();
  readonly #onCredit: (concurrency: number) => void;
  #version: number | null;
  #heardAt = performance.now();
  #isReady = true;

  /** `onCredit` is told when the worker takes more or fewer requests at a time than it said. */
  constructor(
    socket: WebSocket,
    weightVersion: number | null,
    onCredit: (concurrency: number) => void,
  ) {
    this.#socket = socket;
    this.#version = weightVersion;
    this.#onCredit = onCredit;
    socket.on("message", (data: Buffer) => this.#hear(data));
    socket.on("close", () => this.#fail(new EngineAway("the worker's connection closed")));
  }

  async *generate(turn: EngineTurn, signal: AbortSignal): AsyncGenerator<GenerateChunk> {
    signal.throwIfAborted();
    const chunks = new PendingChunks();
    const open: OpenTurn = { turn, chunks, sampled: [] };
    this.#turns.set(turn.requestId, open);
    const cut = () => {
      if (this.#isOpen) this.#send({ t: "abort", id: turn.requestId, cut: true });
      chunks.fail(new Error("the request was cut", { cause: signal.reason }));
    };
    signal.addEventListener("abort", cut, { once: true });
    try {
      this.#sendTurn(turn, this.#prefixes.get(turn.sessionId));
      yield* chunks;
    } finally {
      signal.removeEventListener("abort", cut);
      this.#turns.delete(turn.requestId);
    }
  }

  #sendTurn(turn: EngineTurn, held: readonly number[]): void {
    const ids = turn.prompt.ids();
    const keep = sharedLength(held, ids);
    const { requestId, sessionId, sampling, cacheSalt } = turn;
    this.#send(
      {
        ...{ t: "generate", id: requestId, session: sessionId, keep, sampling, cacheSalt },
        digest: digestOf(ids.slice(0, keep)),
      },
      ids.slice(keep),
    );
    this.#prefixes.keep(sessionId, ids);
  }

  /** Throws {@link EngineAway} where nobody is there to hear. */
  #send(message: ToWorker, ids: readonly number[] = []): void {
    if (!this.#isOpen) throw new EngineAway("the worker is not connected");
    this.#socket.send(encodeFrame(message, ids));
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  async abort(requestId: string): Promise<void> {
    this.#send({ t: "abort", id: requestId, cut: false });
  }

  /** As the worker announced it last; it does so with the end of every request. */
  async weightVersion(): Promise<number | null> {
    return this.#version;
  }

  async scorePrompt(
    prompt: TokenPrompt,
    { requestId, temperature }: { requestId: string; temperature: number },
    signal: AbortSignal,
  ): Promise<(number | null)[]> {
    const ids = prompt.ids();
    try {
      const scored = await new Promise<(number | null)[]>((resolve, reject) => {
        const settle = (scored: (number | null)[] | Error) =>
          scored instanceof Error ? reject(scored) : resolve(scored);
        this.#scores.set(requestId, settle);
        signal.addEventListener("abort", () => settle(new Error("nobody waits for the scores")), {
          once: true,
        });
        this.#send({ t: "score", id: requestId, temperature }, ids);
      });
      if (scored.length !== ids.length)
        throw new EngineRefusal(
          502,
          `the worker returned ${scored.length} log-probs for ${ids.length} prompt tokens`,
        );
      return scored;
    } finally {
      this.#scores.delete(requestId);
    }
  }

  async isHealthy(): Promise<boolean> {
    const isSilent = performance.now() - this.#heardAt > SILENT_AFTER_MS;
    // A connection whose other end vanished says nothing by itself.
    if (isSilent) this.#socket.terminate();
    return this.#isOpen && !isSilent && this.#isReady;
  }

  async close(): Promise<void> {
    this.#socket.close(1000, "the pool needs this worker no more");
  }

  async destroy(): Promise<void> {
    this.#socket.terminate();
  }

  #hear(data: Buffer): void {
    this.#heardAt = performance.now();
    let frame: Frame;
    let said: FromWorker;
    try {
      frame = decodeFrame(data);
      said = FromWorker.parse(frame.header);
    } catch (error) {
      this.#fail(new EngineAway("the worker sent what is no frame", { cause: error }));
      this.#socket.close(1003, "that was no frame of liverl-relay.1: see docs/relay.md");
      return;
    }
    this.#take(said, frame);
  }

  #take(said: FromWorker, frame: Frame): void {
    if (said.t === "chunk") this.#takeChunk(said, frame);
    else if (said.t === "end") this.#takeEnd(said);
    else if (said.t === "heartbeat") this.#takeHeartbeat(said);
    else if (said.t === "need") this.#sendWhole(said.id);
    else if (said.t === "error") this.#takeError(said);
    else if (said.t === "scores") this.#scores.get(said.id)?.(frame.logprobs);
    else this.#socket.close(1002, "a worker registers once a connection");
  }

  #takeHeartbeat({ weightVersion, concurrency, ready }: Said<"heartbeat">): void {
    this.#version = weightVersion;
    this.#isReady = ready;
    if (concurrency !== undefined) this.#onCredit(concurrency);
  }

  #takeChunk({ id }: Said<"chunk">, { ids, logprobs }: Frame): void {
    const open = this.#turns.get(id);
    if (!open) return;
    for (const token of ids) open.sampled.push(token);
    open.chunks.push({
      ids,
      logprobs: ids.map((_, i) => logprobs[i] ?? null),
      ...{ finishReason: null, versions: null },
    });
  }

  #takeEnd({
    id,
    finishReason,
    spans,
    versionBounds,
    weightVersion,
    routedExperts,
  }: Said<"end">): void {
    this.#version = weightVersion;
    const open = this.#turns.get(id);
    if (!open) return;
    const { sessionId, prompt } = open.turn;
    this.#prefixes.keep(sessionId, [...prompt.ids(), ...open.sampled]);
    open.chunks.push({
      ...{ ids: [], logprobs: [], finishReason, versions: spans, versionBounds, routedExperts },
    });
    open.chunks.end();
  }

  #sendWhole(id: string): void {
    const open = this.#turns.get(id);
    if (open && this.#isOpen) this.#sendTurn(open.turn, []);
  }

  #takeError({ id, kind, status, message }: Said<"error">): void {
    const error = errorOf(kind, status, message);
    this.#turns.get(id)?.chunks.fail(error);
    this.#scores.get(id)?.(error);
  }

  #fail(error: Error): void {
    for (const { chunks } of this.#turns.values()) chunks.fail(error);
    for (const settle of this.#scores.values()) settle(error);
  }
}

function errorOf(kind: Said<"error">["kind"], status: number, message: string): Error {
  if (kind === "refused") return new EngineRefusal(status, message);
  return kind === "full" ? new EngineFull(message) : new EngineAway(message);
}
