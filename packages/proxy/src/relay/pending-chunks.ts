import type { GenerateChunk } from "#backends/inference-backend.ts";

/** Chunks that came and are not read yet, and how the stream ended. */
export class PendingChunks implements AsyncIterable<GenerateChunk> {
  #chunks: GenerateChunk[] = [];
  #end: { error: Error | null } | null = null;
  #wake: (() => void) | null = null;

  push(chunk: GenerateChunk): void {
    this.#chunks.push(chunk);
    this.#wake?.();
  }

  end(): void {
    this.#end ??= { error: null };
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<GenerateChunk> {
    for (;;) {
      const ready = this.#chunks;
      this.#chunks = [];
      yield* ready;
      if (this.#chunks.length > 0) continue;
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
  }
}
