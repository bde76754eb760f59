import type { GenerateRequest, WeightVersionSpan } from "@liverl/contract/engine-api";
import type { TokenPrompt } from "#backends/token-prompt.ts";

/** One request for an engine. */
export interface EngineTurn {
  /** Names the request in the engine's log and for an abort. */
  requestId: string;
  /** Turns of one session share their beginnings: whoever keeps prefixes keeps them under this. */
  sessionId: string;
  prompt: TokenPrompt;
  sampling: GenerateRequest["sampling_params"];
  cacheSalt: string;
}

/** What an engine sampled since the last chunk. */
export interface GenerateChunk {
  ids: number[];
  /** Nats, one an id; null where the engine gave none. */
  logprobs: (number | null)[];
  /** Null until the last chunk. */
  finishReason: string | null;
  /** Spans over all ids of this request, on the last chunk of engines that tell. */
  versions: WeightVersionSpan[] | null;
  /** Oldest and newest version of this request, on the last chunk of engines that tell no more than that. */
  versionBounds?: [number, number] | null | undefined;
  /** Expert routing of the request as base64 of a `.npy`, on the last chunk of engines that were started to tell it. */
  routedExperts?: string | null;
}

/** Something that samples from token ids. An aborted `signal` ends the request in the engine, too. */
export interface InferenceBackend {
  generate(turn: EngineTurn, signal: AbortSignal): AsyncIterable<GenerateChunk>;
  /** Asks the engine to end a request: its stream then ends by itself, with versions. Throws where it can not be asked. */
  abort(requestId: string): Promise<void>;
  /** The version that samples now, as known `maxAgeMs` ago or later; null where the engine does not tell. */
  weightVersion(maxAgeMs: number): Promise<number | null>;
  /**
   * Log-probs (nats, at `temperature`) of each prompt id given those before it; null for the first one, and where the
   * engine gives none. Throws {@link EngineRefusal} where it can not score.
   */
  scorePrompt(
    prompt: TokenPrompt,
    options: { requestId: string; temperature: number },
    signal: AbortSignal,
  ): Promise<(number | null)[]>;
  /** Whether it would serve a request now. */
  isHealthy(): Promise<boolean>;
  /** Lets requests in flight end first. */
  close(): Promise<void>;
  /** Cuts requests in flight off. */
  destroy(): Promise<void>;
}

/** The engine is away or broke off: the same request may be sent again, elsewhere too. */
export class EngineAway extends Error {
  override readonly name: string = "EngineAway";
}

/** It lives and has no room: nothing is wrong with it, and the client is to come back. */
export class EngineFull extends EngineAway {
  override readonly name = "EngineFull";
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
