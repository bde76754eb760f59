import type { EngineTurn, GenerateChunk } from "#backends/inference-backend.ts";
import type { TokenPrompt } from "#backends/token-prompt.ts";

/** One of the HTTP endpoints that take token ids and give token ids. */
export interface TokenEndpoint {
  path: string;
  /** Where a request is ended by its id. */
  abortPath: string;
  /** The id that the engine knows a request by, which is not the one it was given. */
  engineId(requestId: string): string;
  turnBody(turn: EngineTurn): Buffer;
  /** Reads one event of a stream. Throws {@link EngineRefusal} where ids are missing: they are never made from text. */
  readChunk(event: unknown, turn: EngineTurn): GenerateChunk;
  scoreBody(prompt: TokenPrompt, options: { requestId: string; temperature: number }): Buffer;
  /** `[null, {"<id>": {logprob}}, …]` as vLLM gives it; null where it is absent. */
  readScores(answer: unknown): unknown;
}
