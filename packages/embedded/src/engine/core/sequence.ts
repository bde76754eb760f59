import { Random } from "@liverl/contract/random";
import { type SampledToken, sampleToken } from "#engine/core/sample-token.ts";

export type FinishReason = "stop" | "length" | "abort";

export interface GenerateJob {
  requestId: string;
  promptIds: readonly number[];
  maxTokens: number;
  temperature: number;
  topP: number;
  seed: number;
  /** Sampling one of these ends the sequence; the id stays in the answer. */
  stopIds: ReadonlySet<number>;
  /** The model's own end of turn: reported with stop reason null. */
  eosId: number | null;
  cacheSalt: string;
  wantsPromptLogprobs: boolean;
  /** Hears every token that is not the last one: the last leaves with the finish reason. */
  onToken?: (token: VersionedToken) => void;
}

export interface VersionedToken extends SampledToken {
  version: number;
}

export interface FinishedJob {
  tokens: VersionedToken[];
  finishReason: FinishReason;
  stopReason: number | null;
  /** One fewer than the prompt has ids: the first id has no probability. Null when it was not asked for. */
  promptLogprobs: SampledToken[] | null;
}

/** One request while it is in the engine. */
export class Sequence {
  readonly ids: number[];
  readonly tokens: VersionedToken[] = [];
  readonly arrivedAt = performance.now();
  /** Positions whose keys and values are in the cache. */
  computed = 0;
  /** Weight version that computed them. */
  cacheVersion = -1;
  promptLogprobs: SampledToken[] | null = null;
  finishReason: FinishReason | null = null;
  stopReason: number | null = null;
  readonly #random: Random;

  constructor(
    readonly job: GenerateJob,
    readonly settle: (finished: FinishedJob) => void,
  ) {
    this.ids = [...job.promptIds];
    this.#random = new Random(job.seed);
  }

  /** Draws the next token from row `offset` of the logits; sets the finish reason when it is the last. */
  sample(logits: Float32Array, offset: number, vocabularySize: number, version: number): void {
    const drawn = sampleToken(logits, offset, vocabularySize, this.job, this.#random.next());
    const token = { ...drawn, version };
    this.ids.push(token.id);
    this.tokens.push(token);
    if (token.id === this.job.eosId) this.finishReason = "stop";
    else if (this.job.stopIds.has(token.id)) {
      this.finishReason = "stop";
      this.stopReason = token.id;
    } else if (this.tokens.length >= this.job.maxTokens) this.finishReason = "length";
    if (this.finishReason === null) this.job.onToken?.(token);
  }

  finish(): void {
    this.settle({
      tokens: this.tokens,
      finishReason: this.finishReason ?? "abort",
      stopReason: this.stopReason,
      promptLogprobs: this.promptLogprobs,
    });
  }
}
