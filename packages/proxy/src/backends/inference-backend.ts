import type { GenerateRequest, WeightVersionSpan } from "@liverl/contract/engine-api";

/** What an engine sampled since the last chunk. */
export interface GenerateChunk {
  ids: number[];
  /** Nats, one an id; null where the engine gave none. */
  logprobs: (number | null)[];
  /** Null until the last chunk. */
  finishReason: string | null;
  /** Spans over all ids of this request, on the last chunk of engines that tell. */
  versions: WeightVersionSpan[] | null;
}

/** Something that samples from token ids. An aborted `signal` ends the request in the engine, too. */
export interface InferenceBackend {
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GenerateChunk>;
  /** Asks the engine to end a request: its stream then ends by itself, with versions. Throws where it can not be asked. */
  abort(requestId: string): Promise<void>;
  /** Whether it would serve a request now. */
  isHealthy(): Promise<boolean>;
  /** Lets requests in flight end first. */
  close(): Promise<void>;
  /** Cuts requests in flight off. */
  destroy(): Promise<void>;
}

/** The engine is away or broke off: the same request may be sent again, elsewhere too. */
export class EngineAway extends Error {
  override readonly name = "EngineAway";
}

/** The engine understood and said no; to ask again is useless. */
export class EngineRefusal extends Error {
  override readonly name = "EngineRefusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
