/** Watches growing text for stop strings. */
export class StopStrings {
  readonly #stops: readonly string[];
  #text = "";

  constructor(stops: readonly string[]) {
    this.#stops = stops;
  }

  /** Adds text. Returns the text before the earliest stop string once one is complete, else null. */
  push(added: string): string | null {
    if (this.#stops.length === 0 || added === "") return null;
    const longest = Math.max(...this.#stops.map((stop) => stop.length));
    const from = Math.max(0, this.#text.length - longest + 1);
    this.#text += added;
    const found = this.#stops.map((stop) => this.#text.indexOf(stop, from)).filter((at) => at >= 0);
    return found.length > 0 ? this.#text.slice(0, Math.min(...found)) : null;
  }
}
