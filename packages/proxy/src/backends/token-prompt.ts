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

const COMMA = 0x2c;
const ZERO = 0x30;

/** `,1,2,3`, digit by digit: a string for each id would cost ten times as much. */
function textOf(ids: readonly number[]): Buffer {
  const held = TEXTS.get(ids);
  if (held) return held;
  const text = Buffer.allocUnsafeSlow(ids.reduce((length, id) => length + 1 + digitsOf(id), 0));
  let end = 0;
  for (const id of ids) {
    text[end] = COMMA;
    const first = end + 1;
    end = first + digitsOf(id);
    let rest = id;
    for (let at = end - 1; at >= first; at--) {
      const tens = Math.floor(rest / 10);
      text[at] = ZERO + rest - tens * 10;
      rest = tens;
    }
  }
  TEXTS.set(ids, text);
  return text;
}

function digitsOf(id: number): number {
  let digits = 1;
  for (let limit = 10; id >= limit; limit *= 10) digits += 1;
  return digits;
}
