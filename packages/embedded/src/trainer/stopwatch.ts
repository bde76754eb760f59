/** Times the phases of one step. */
export class Stopwatch {
  readonly #began = performance.now();
  readonly #phases = new Map<string, number>();

  async time<T>(phase: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.#phases.set(phase, this.of(phase) + (performance.now() - began) / 1000);
    }
  }

  /** Seconds spent in a phase so far. */
  of(phase: string): number {
    return this.#phases.get(phase) ?? 0;
  }

  /** `timing_s/<phase>` and `timing_s/step`. */
  metrics(): Record<string, number> {
    const phases = Object.fromEntries(
      [...this.#phases].map(([phase, seconds]) => [`timing_s/${phase}`, seconds]),
    );
    return { ...phases, "timing_s/step": (performance.now() - this.#began) / 1000 };
  }
}
