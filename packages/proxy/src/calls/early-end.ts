import type { InferenceBackend } from "#backends/inference-backend.ts";

/** How long an engine may take to end a request that it was asked to end. */
const PATIENCE_MS = 2_000;

/**
 * Ends an engine's request before its time. Asked by the request's id, the engine still sends the last chunk, which
 * alone tells versions; the connection is cut where it can not be asked or does not answer.
 */
export class EarlyEnd {
  readonly #backend: InferenceBackend;
  readonly #requestId: string;
  readonly #broken = new AbortController();
  /** Aborts when the connection is to be cut, by us or because the engine is lost. */
  readonly signal: AbortSignal;
  #timer: NodeJS.Timeout | null = null;

  constructor(backend: InferenceBackend, requestId: string, lost: AbortSignal) {
    this.#backend = backend;
    this.#requestId = requestId;
    this.signal = AbortSignal.any([this.#broken.signal, lost]);
  }

  ask(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => this.breakOff(), PATIENCE_MS);
    this.#backend.abort(this.#requestId).catch(() => this.breakOff());
  }

  breakOff(): void {
    this.#broken.abort();
  }

  /** The request is over. */
  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }
}
