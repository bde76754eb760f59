/** Ids that never change, as JSON between commas: each node's are formatted once, however many turns repeat them. */
const TEXTS = new WeakMap<readonly number[], Buffer>();

/**
 * The token ids of a prompt, as the arrays they lie in: one a node, from the root on. An array that was given here must
 * never change afterwards.
 */
export class TokenPrompt {
  readonly parts: readonly (readonly number[])[];
  readonly length: number;
  #ids: readonly number[] | null = null;

  constructor(parts: readonly (readonly number[])[]) {
    this.parts = parts.filter((part) => part.length > 0);
    this.length = this.parts.reduce((sum, part) => sum + part.length, 0);
  }

  ids(): readonly number[] {
    const [first, ...others] = this.parts;
    this.#ids ??= first && others.length === 0 ? first : this.parts.flat();
    return this.#ids;
  }

  /** This prompt with more ids behind it. */
  with(ids: readonly number[]): TokenPrompt {
    return new TokenPrompt([...this.parts, ids]);
  }

  /** `<before>1,2,3<after>`: a request's body, made without formatting an old id again. */
  jsonBetween(before: string, after: string): Buffer {
    const texts = this.parts.map(textOf);
    const first = texts[0];
    if (first) texts[0] = first.subarray(1);
    return Buffer.concat([Buffer.from(before), ...texts, Buffer.from(after)]);
  }
}

/** `,1,2,3` */
function textOf(ids: readonly number[]): Buffer {
  const held = TEXTS.get(ids);
  if (held) return held;
  const text = Buffer.from(`,${ids.join(",")}`, "latin1");
  TEXTS.set(ids, text);
  return text;
}
