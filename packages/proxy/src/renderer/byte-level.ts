/** GPT-2's byte alphabet: the character that stands for each byte in a byte-level vocabulary. */
export const BYTE_CHARACTERS: readonly string[] = buildAlphabet();

function buildAlphabet(): string[] {
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let extra = 256;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(printable(byte) ? byte : extra++),
  );
}

/** Turns ids into bytes, and bytes into text, by the vocabulary alone: synchronous and exact. */
export class ByteLevelDecoder {
  readonly #bytes: (Uint8Array | undefined)[] = [];

  /** `vocabulary`: ordinary tokens in byte characters; `added`: control tokens as plain text. */
  constructor(vocabulary: Readonly<Record<string, number>>, added: ReadonlyMap<string, number>) {
    const byteOf = new Map(BYTE_CHARACTERS.map((character, byte) => [character, byte]));
    for (const [token, id] of Object.entries(vocabulary)) {
      const bytes = [...token].map((character) => byteOf.get(character));
      this.#bytes[id] = bytes.every((byte) => byte !== undefined)
        ? Uint8Array.from(bytes)
        : Buffer.from(token, "utf8");
    }
    for (const [text, id] of added) this.#bytes[id] = Buffer.from(text, "utf8");
  }

  bytesOf(id: number): Uint8Array {
    return this.#bytes[id] ?? new Uint8Array();
  }

  /** Bytes of the longest token. */
  get longest(): number {
    return this.#bytes.reduce((longest, bytes) => Math.max(longest, bytes?.length ?? 0), 1);
  }

  decode(ids: readonly number[]): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      Buffer.concat(ids.map((id) => this.bytesOf(id))),
    );
  }

  /** Text as it becomes certain: bytes of an unfinished character are held back until it is complete. */
  stream(): { push(id: number): string; end(): string } {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return {
      push: (id) => decoder.decode(this.bytesOf(id), { stream: true }),
      end: () => decoder.decode(),
    };
  }
}
