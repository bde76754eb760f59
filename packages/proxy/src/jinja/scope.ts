import { Undefined, type Value } from "#jinja/python-values.ts";

/** Names of one block; what it lacks, the blocks around it may have. */
export class Scope {
  readonly #values = new Map<string, Value>();
  readonly #parent: Scope | null;

  constructor(parent: Scope | null) {
    this.#parent = parent;
  }

  get(name: string): Value {
    for (let at: Scope | null = this; at; at = at.#parent) {
      const value = at.#values.get(name);
      if (value !== undefined) return value;
    }
    return new Undefined(`'${name}'`);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}
