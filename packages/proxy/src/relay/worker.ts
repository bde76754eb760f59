import { setTimeout as sleep } from "node:timers/promises";
import { type FromWorker, RELAY_PROTOCOL, ToWorker } from "@liverl/contract/relay";
import { WebSocket } from "ws";
import { EngineFull, EngineRefusal, type InferenceBackend } from "#backends/inference-backend.ts";
import { TokenPrompt } from "#backends/token-prompt.ts";
import { decodeFrame, digestOf, encodeFrame } from "#relay/frame.ts";
import { KeptPrefixes } from "#relay/kept-prefixes.ts";

type Asked<T extends ToWorker["t"]> = Extract<ToWorker, { t: T }>;

export interface RelayWorkerOptions {
  /** `ws://<proxy>/ws/worker` */
  url: string;
  token: string;
  /** Its name among the pool's workers. */
  worker: string;
  pool: string;
  /** Requests that it takes at a time. */
  concurrency: number;
  /** What samples. */
  backend: InferenceBackend;
  onState?(state: "registered" | "disconnected", detail: string): void;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
const VERSION_FRESH_MS = 1_000;

/**
 * The framework's side of the relay, a reference: dials in, registers, serves from any backend, says which weights it
 * samples with, and dials in again when the connection is lost, after a growing, random wait.
 */
export class RelayWorker {
  readonly #options: RelayWorkerOptions;
  readonly #stopped = new AbortController();
  readonly #prefixes = new KeptPrefixes();
  readonly #running = new Map<string, AbortController>();
  #socket: WebSocket | null = null;

  constructor(options: RelayWorkerOptions) {
    this.#options = options;
  }

  /** Serves until it is stopped. */
  async run(): Promise<void> {
    const { signal } = this.#stopped;
    for (let failures = 0; !signal.aborted; failures++) {
      const wasRegistered = await this.#serveOnce();
      if (wasRegistered) failures = 0;
      // Full jitter: workers that lost one proxy together do not come back together.
      const waitMs = Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Requests in flight are broken off: the proxy sends them elsewhere. */
  stop(): void {
    this.#stopped.abort();
    this.#socket?.close(1000, "the worker stops");
    this.#cutAll();
  }

  /** One connection, from dialling to its end; whether it came to be registered. */
  async #serveOnce(): Promise<boolean> {
    const { url, token, onState } = this.#options;
    const socket = new WebSocket(url, RELAY_PROTOCOL, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    this.#socket = socket;
    let heartbeat: NodeJS.Timeout | null = null;
    let isRegistered = false;
    let why = "";
    socket.on("open", () => void this.#register());
    socket.on("message", (data: Buffer) => {
      const asked = readAsked(data);
      if (!asked) return socket.close(1003, "that was no frame of liverl-relay.1");
      if (asked.message.t !== "registered") return this.#serve(asked.message, asked.ids);
      isRegistered = true;
      heartbeat = setInterval(() => void this.#beat(), asked.message.heartbeatMs);
      onState?.("registered", url);
    });
    socket.on("error", (error) => {
      why = error.message;
    });
    const [code, reason] = await new Promise<[number, Buffer]>((resolve) =>
      socket.once("close", (...end) => resolve(end)),
    );
    if (heartbeat) clearInterval(heartbeat);
    this.#cutAll();
    onState?.("disconnected", [code, reason.toString(), why].filter(Boolean).join(" "));
    return isRegistered;
  }

  async #register(): Promise<void> {
    const { worker, pool, concurrency, backend } = this.#options;
    const weightVersion = await backend.weightVersion(VERSION_FRESH_MS);
    this.#send({ t: "register", worker, pool, concurrency, weightVersion });
  }

  /** Tells the proxy now that the weights changed; without it, it learns so by the next heartbeat or answer. */
  async announce(): Promise<void> {
    await this.#beat();
  }

  async #beat(): Promise<void> {
    const { backend, concurrency } = this.#options;
    const [ready, weightVersion] = await Promise.all([
      backend.isHealthy(),
      backend.weightVersion(0),
    ]);
    this.#send({ t: "heartbeat", ready, weightVersion, concurrency });
  }

  #send(
    message: FromWorker,
    ids: readonly number[] = [],
    logprobs: readonly (number | null)[] = [],
  ): void {
    // What is meant for a connection that is gone is of no use on the next one.
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(encodeFrame(message, ids, logprobs));
  }

  #serve(asked: Exclude<ToWorker, { t: "registered" }>, ids: number[]): void {
    if (asked.t === "abort") void this.#abort(asked);
    else if (asked.t === "score") void this.#answer(asked.id, () => this.#score(asked, ids));
    else this.#begin(asked, ids);
  }

  /** In the order of arrival: what a request leaves is what the next one of its session goes on from. */
  #begin(asked: Asked<"generate">, ids: number[]): void {
    const { id, session, keep, digest } = asked;
    const held = this.#prefixes.get(session).slice(0, keep);
    if (held.length < keep || digestOf(held) !== digest) this.#send({ t: "need", id });
    else if (this.#running.size >= this.#options.concurrency) {
      this.#prefixes.forget(session);
      this.#send({ t: "error", id, kind: "full", status: 503, message: "the worker is full" });
    } else {
      const prompt = new TokenPrompt([held, ids]);
      this.#prefixes.keep(session, prompt.ids());
      void this.#answer(id, () => this.#generate(asked, prompt));
    }
  }

  async #answer(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const isRefusal = error instanceof EngineRefusal;
      const kind = isRefusal ? "refused" : error instanceof EngineFull ? "full" : "away";
      this.#send({ t: "error", id, kind, status: isRefusal ? error.status : 502, message });
    }
  }

  async #generate(
    { id, session, sampling, cacheSalt }: Asked<"generate">,
    prompt: TokenPrompt,
  ): Promise<void> {
    const { backend } = this.#options;
    const cut = new AbortController();
    this.#running.set(id, cut);
    const sampled: number[] = [];
    const end: Pick<
      Extract<FromWorker, { t: "end" }>,
      "finishReason" | "spans" | "routedExperts"
    > = { finishReason: null, spans: null, routedExperts: null };
    try {
      const turn = { requestId: id, sessionId: session, prompt, sampling, cacheSalt };
      for await (const chunk of backend.generate(turn, cut.signal)) {
        for (const token of chunk.ids) sampled.push(token);
        if (chunk.ids.length > 0) this.#send({ t: "chunk", id }, chunk.ids, chunk.logprobs);
        end.finishReason = chunk.finishReason ?? end.finishReason;
        end.spans = chunk.versions ?? end.spans;
        end.routedExperts = chunk.routedExperts ?? end.routedExperts;
      }
    } finally {
      this.#running.delete(id);
    }
    const weightVersion = await backend.weightVersion(0);
    this.#prefixes.keep(session, [...prompt.ids(), ...sampled]);
    this.#send({ t: "end", id, ...end, weightVersion });
  }

  async #score({ id, temperature }: Asked<"score">, ids: number[]): Promise<void> {
    const scored = await this.#options.backend.scorePrompt(
      new TokenPrompt([ids]),
      { requestId: id, temperature },
      this.#stopped.signal,
    );
    this.#send({ t: "scores", id }, [], scored);
  }

  async #abort({ id, cut }: Asked<"abort">): Promise<void> {
    const running = this.#running.get(id);
    if (!running) return;
    if (cut) running.abort();
    else await this.#options.backend.abort(id).catch(() => running.abort());
  }

  #cutAll(): void {
    for (const running of this.#running.values()) running.abort();
  }
}

function readAsked(data: Buffer): { message: ToWorker; ids: number[] } | null {
  try {
    const { header, ids } = decodeFrame(data);
    return { message: ToWorker.parse(header), ids };
  } catch {
    // A proxy of another kind: the connection ends, with the reason.
    return null;
  }
}
