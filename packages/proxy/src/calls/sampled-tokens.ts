import type { RoutedExperts } from "@liverl/contract/trajectory";
import type { GenerateChunk } from "#backends/inference-backend.ts";
import { versionNumber } from "#backends/version-number.ts";
import { joinRouting, type RequestRouting } from "#calls/routed-experts.ts";
import type { StopStrings } from "#calls/stop-strings.ts";

/** vLLM's floor for log-probs; what is lower, missing or not a number is set to it and flagged. */
const LOGPROB_FLOOR = -9999;
/** A certain token's log-prob may come out this much above 0. */
const ROUNDING = 1e-3;

type VersionSpan = [number, number];

/** What is known of a request before it is sent. */
export interface RequestStart {
  /** The version that the engine named just before it; null where it names none. */
  version: number | null;
  promptLength: number;
  /** Where expert routing is wanted: from this position on. */
  routedFrom: number | null;
}

/** The sampled tokens of one call, over all the engine requests that it took. */
export class SampledTokens {
  readonly ids: number[] = [];
  readonly logprobs: number[] = [];
  readonly versions: (number | null)[] = [];
  /** The same ids, one array a request, as a resumed request's prompt takes them. */
  readonly parts: (readonly number[])[] = [];
  /** Engine requests whose tokens are kept, in order. */
  readonly requestIds: string[] = [];
  /** The request in flight: given even if nothing of it is kept. */
  lastRequestId: string | null = null;
  firstTokenAt: string | null = null;
  /** When the newest tokens came, milliseconds since 1970. */
  lastTokenMs: number | null = null;
  clamped = 0;
  /** Tokens that the engine still owed when it ended with "length": its window is smaller than the pool says. */
  owed = 0;
  readonly #routing: RequestRouting[] = [];
  readonly #bounds: VersionSpan[] = [];
  #open: RequestTokens | null = null;

  get length(): number {
    return this.ids.length;
  }

  /** Those of the request in flight among them, which may yet be sampled anew. */
  get soFar(): number {
    return this.ids.length + (this.#open?.length ?? 0);
  }

  begin(requestId: string, start: RequestStart): RequestTokens {
    this.lastRequestId = requestId;
    this.#open = new RequestTokens(this, requestId, start);
    return this.#open;
  }

  /** Keeps what the request in flight gave so far: for calls that a client breaks off. */
  keepOpen(): void {
    if (this.#open && this.#open.length > 0) this.#open.keep();
  }

  /** What is not as it should be with a turn that is good all the same. */
  get flaw(): string | null {
    const flaws = [
      this.clamped > 0 &&
        `${this.clamped} log-probs were missing, above 0 or not finite and stand at the floor`,
      this.owed > 0 &&
        `the engine stopped ${this.owed} tokens short of max_tokens: its window is smaller than the pool's maxModelLen`,
    ].filter((flaw) => flaw !== false);
    return flaws.length > 0 ? flaws.join("; ") : null;
  }

  /** Undefined where none was asked for. */
  get routedExperts(): RoutedExperts | null | undefined {
    return this.#routing.length === 0 ? undefined : joinRouting(this.#routing);
  }

  /** Holds every token's version, also of those whose own is unknown; `[-1, -1]` where nothing is known. */
  get versionSpan(): VersionSpan {
    const known = [...this.versions.filter((version) => version !== null), ...this.#bounds.flat()];
    return known.length === 0
      ? [-1, -1]
      : [
          known.reduce((low, version) => Math.min(low, version)),
          known.reduce((high, version) => Math.max(high, version)),
        ];
  }

  take(request: RequestTokens, requestId: string): void {
    if (request.routing) this.#routing.push(request.routing);
    for (const id of request.ids) this.ids.push(id);
    for (const logprob of request.logprobs) this.logprobs.push(this.#clamp(logprob));
    for (const version of request.versions()) this.versions.push(version);
    if (request.bounds) this.#bounds.push(request.bounds);
    this.parts.push(request.ids);
    this.requestIds.push(requestId);
    this.#open = null;
  }

  #clamp(logprob: number | null): number {
    const isOne = logprob !== null && logprob >= LOGPROB_FLOOR && logprob <= ROUNDING;
    if (isOne) return logprob;
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
  /** Oldest and newest version: as the engine told, else those that it named before and after. */
  bounds: VersionSpan | null = null;
  readonly #start: RequestStart;
  /** Ids that came after a cut. */
  #left = 0;
  #routedExperts: string | null = null;
  #spans: GenerateChunk["versions"] = null;

  constructor(call: SampledTokens, requestId: string, start: RequestStart) {
    this.#call = call;
    this.#requestId = requestId;
    this.#start = start;
  }

  get length(): number {
    return this.ids.length;
  }

  /** Tokens that the engine sent, those after a cut among them. */
  get received(): number {
    return this.ids.length + this.#left;
  }

  /** Whether the versions still hang on what the engine says after the request. */
  get needsVersionAfter(): boolean {
    const isTold = this.#spans !== null || this.bounds !== null;
    return !isTold && this.#start.version !== null && this.ids.length > 0;
  }

  /** Null where no routing was asked for. */
  get routing(): RequestRouting | null {
    const { routedFrom: from, promptLength } = this.#start;
    if (from === null) return null;
    const kept = this.ids.length;
    return { npy: this.#routedExperts, from, promptLength, sampled: kept + this.#left, kept };
  }

  push(chunk: GenerateChunk): void {
    if (chunk.ids.length > 0) {
      this.#call.lastTokenMs = Date.now();
      this.#call.firstTokenAt ??= new Date(this.#call.lastTokenMs).toISOString();
    }
    for (const id of chunk.ids) this.ids.push(id);
    for (const logprob of chunk.logprobs) this.logprobs.push(logprob);
    this.#readEnd(chunk);
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
      this.#left += chunk.ids.length - i - 1;
      return cut;
    }
    this.push(chunk);
    return null;
  }

  /** What came after the cut: its ids are left, its spans say which versions the kept ids have. */
  passOver(chunk: GenerateChunk): void {
    this.#left += chunk.ids.length;
    this.#readEnd(chunk);
  }

  #readEnd(chunk: GenerateChunk): void {
    this.#spans = chunk.versions ?? this.#spans;
    this.bounds = chunk.versionBounds ?? this.bounds;
    this.#routedExperts = chunk.routedExperts ?? this.#routedExperts;
  }

  /** `after`: the version that the engine names once the request is over. */
  endedAt(after: number | null): void {
    const before = this.#start.version;
    if (!this.needsVersionAfter || before === null || after === null) return;
    this.bounds = [Math.min(before, after), Math.max(before, after)];
  }

  keep(): void {
    this.#call.take(this, this.#requestId);
  }

  versions(): (number | null)[] {
    const certain = this.bounds && this.bounds[0] === this.bounds[1] ? this.bounds[0] : null;
    const versions: (number | null)[] = this.ids.map(() => certain);
    for (const { version, start, end } of this.#spans ?? []) {
      const number = versionNumber(version);
      if (number !== null) versions.fill(number, start, Math.min(end, versions.length));
    }
    return versions;
  }
}
