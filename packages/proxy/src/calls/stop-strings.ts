/** Watches growing text for stop strings. */
export class StopStrings {
  readonly #stops: readonly string[];
  readonly #longest: number;
  #text = "";

  constructor(stops: readonly string[]) {
    this.#stops = stops;
    this.#longest = stops.reduce((longest, { length }) => Math.max(longest, length), 0);
  }

  /** Adds text. Returns the text before the earliest stop string once one is complete, else null. */
  push(added: string): string | null {
    if (this.#stops.length === 0 || added === "") return null;
    const from = Math.max(0, this.#text.length - this.#longest + 1);
    this.#text += added;
    let first = Number.POSITIVE_INFINITY;
    for (const stop of this.#stops) {
      const at = this.#text.indexOf(stop, from);
      if (at >= 0 && at < first) first = at;
    }
    return first === Number.POSITIVE_INFINITY ? null : this.#text.slice(0, first);
  }
}
