/** The printable character that byte-level BPE writes for each byte: GPT-2's table. */
function buildAlphabet(): string[] {
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  const alphabet: string[] = [];
  let extra = 0;
  for (let byte = 0; byte < 256; byte++) {
    alphabet.push(String.fromCodePoint(printable(byte) ? byte : 256 + extra++));
  }
  return alphabet;
}

export const BYTE_ALPHABET: readonly string[] = buildAlphabet();

/** Character → byte: the inverse of {@link BYTE_ALPHABET}. */
export const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = new Map(
  BYTE_ALPHABET.map((character, byte) => [character, byte]),
);
