import type { GenerateChunk } from "#backends/inference-backend.ts";
import type { StopStrings } from "#calls/stop-strings.ts";

/** vLLM's floor for log-probs; what is lower, missing or not a number is set to it and flagged. */
const LOGPROB_FLOOR = -9999;

/** The sampled tokens of one call, over all the engine requests that it took. */
export class SampledTokens {
  readonly ids: number[] = [];
  readonly logprobs: number[] = [];
  readonly versions: (number | null)[] = [];
  /** Engine requests whose tokens are kept, in order. */
  readonly requestIds: string[] = [];
  /** The request in flight: given even if nothing of it is kept. */
  lastRequestId: string | null = null;
  firstTokenAt: string | null = null;
  clamped = 0;
  #open: RequestTokens | null = null;

  get length(): number {
    return this.ids.length;
  }

  begin(requestId: string): RequestTokens {
    this.lastRequestId = requestId;
    this.#open = new RequestTokens(this, requestId);
    return this.#open;
  }

  /** Keeps what the request in flight gave so far: for calls that a client breaks off. */
  keepOpen(): void {
    if (this.#open && this.#open.length > 0) this.#open.keep();
  }

  get versionSpan(): [number, number] {
    const known = this.versions.filter((version) => version !== null);
    return known.length === 0 ? [-1, -1] : [Math.min(...known), Math.max(...known)];
  }

  take(request: RequestTokens, requestId: string): void {
    this.ids.push(...request.ids);
    for (const logprob of request.logprobs) this.logprobs.push(this.#clamp(logprob));
    this.versions.push(...request.versions());
    this.requestIds.push(requestId);
    this.#open = null;
  }

  #clamp(logprob: number | null): number {
    if (logprob !== null && Number.isFinite(logprob) && logprob >= LOGPROB_FLOOR) return logprob;
    this.clamped += 1;
    return LOGPROB_FLOOR;
  }
}

/** Tokens of one engine request, not kept until it is known how it ended. */
export class RequestTokens {
  readonly #call: SampledTokens;
  readonly #requestId: string;
  readonly ids: number[] = [];
  readonly logprobs: (number | null)[] = [];
  #spans: GenerateChunk["versions"] = null;

  constructor(call: SampledTokens, requestId: string) {
    this.#call = call;
    this.#requestId = requestId;
  }

  get length(): number {
    return this.ids.length;
  }

  push(chunk: GenerateChunk): void {
    if (chunk.ids.length > 0) this.#call.firstTokenAt ??= new Date().toISOString();
    this.ids.push(...chunk.ids);
    this.logprobs.push(...chunk.logprobs);
    this.#spans = chunk.versions ?? this.#spans;
  }

  /** Takes ids up to the one that completes a stop string; returns the text before it, or null. */
  pushUntilStop(
    chunk: GenerateChunk,
    text: { push(id: number): string },
    stops: StopStrings,
  ): string | null {
    for (const [i, id] of chunk.ids.entries()) {
      const cut = stops.push(text.push(id));
      if (cut === null) continue;
      this.push({
        ...chunk,
        ids: chunk.ids.slice(0, i + 1),
        logprobs: chunk.logprobs.slice(0, i + 1),
      });
      return cut;
    }
    this.push(chunk);
    return null;
  }

  /** What came after the cut: its ids are left, its spans say which versions the kept ids have. */
  passOver(chunk: GenerateChunk): void {
    this.#spans = chunk.versions ?? this.#spans;
  }

  keep(): void {
    this.#call.take(this, this.#requestId);
  }

  versions(): (number | null)[] {
    const versions: (number | null)[] = this.ids.map(() => null);
    for (const { version, start, end } of this.#spans ?? []) {
      // Labels are the trainer's: "7" and "step-7" are version 7, "default" is none.
      const number = /(\d+)$/.exec(version)?.[1];
      if (number !== undefined)
        versions.fill(Number(number), start, Math.min(end, versions.length));
    }
    return versions;
  }
}
