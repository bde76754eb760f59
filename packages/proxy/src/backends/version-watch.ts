import { z } from "zod";
import { versionNumber } from "#backends/version-number.ts";

const WeightInfo = z.looseObject({ weight_version: z.string().nullable() });

/** Knows which weights an engine samples with: by `/weight_info`, and by what its answers say on the way. */
export class VersionWatch {
  readonly #ask: () => Promise<{ status: number; text: string }>;
  #version: number | null = null;
  #knownAt: number = Number.NEGATIVE_INFINITY;
  #asking: Promise<number | null> | null = null;
  /** The engine serves no such thing (vLLM outside its development mode). */
  #isSilent = false;

  constructor(ask: () => Promise<{ status: number; text: string }>) {
    this.#ask = ask;
  }

  /** Null where no version is known that was true `maxAgeMs` ago or later. */
  get(maxAgeMs: number): Promise<number | null> {
    const isFresh = performance.now() - this.#knownAt <= maxAgeMs;
    if (isFresh || this.#isSilent) return Promise.resolve(isFresh ? this.#version : null);
    // A question that is under way began before this one: for an answer of now it would be too old.
    if (this.#asking && maxAgeMs > 0) return this.#asking;
    const asking = this.#refresh().finally(() => {
      if (this.#asking === asking) this.#asking = null;
    });
    this.#asking = asking;
    return asking;
  }

  /** `label`: the newest version that an answer names. */
  learn(label: string | undefined): void {
    const version = versionNumber(label);
    if (version === null) return;
    this.#version = version;
    this.#knownAt = performance.now();
  }

  /** The engine may be another one now. */
  forget(): void {
    this.#version = null;
    this.#knownAt = Number.NEGATIVE_INFINITY;
    this.#isSilent = false;
  }

  async #refresh(): Promise<number | null> {
    try {
      const { status, text } = await this.#ask();
      if (status !== 200) {
        this.#isSilent = status === 403 || status === 404 || status === 405;
        return null;
      }
      this.#version = versionNumber(WeightInfo.parse(JSON.parse(text)).weight_version);
      this.#knownAt = performance.now();
      return this.#version;
    } catch {
      // An engine that is away says so to the request itself.
      return null;
    }
  }
}
