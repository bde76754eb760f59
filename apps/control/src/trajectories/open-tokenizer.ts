import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const TokenizerFile = z.looseObject({
  added_tokens: z.array(z.looseObject({ id: z.number().int(), content: z.string() })).default([]),
  model: z.looseObject({ vocab: z.record(z.string(), z.number().int()) }),
});

/** What each token id stands for, as bytes. */
export interface TokenBytes {
  bytesOf(id: number): Uint8Array;
}

/** Byte-level BPE writes each byte as one printable character: GPT-2's table, shared by every model that uses `ByteLevel`. */
function byteOfCharacter(): ReadonlyMap<string, number> {
  const table = new Map<string, number>();
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let spare = 0;
  for (let byte = 0; byte < 256; byte++)
    table.set(String.fromCodePoint(printable(byte) ? byte : 256 + spare++), byte);
  return table;
}

/** Reads a Hugging Face `tokenizer.json` of the byte-level kind, for display only: it turns ids into bytes and never text into ids. */
export async function openTokenizer(modelDir: string): Promise<TokenBytes | null> {
  const text = await readFile(join(modelDir, "tokenizer.json"), "utf8").catch(() => null);
  if (text === null) return null;
  const file = TokenizerFile.parse(JSON.parse(text));
  const table = byteOfCharacter();
  const byId = new Map<number, Uint8Array>();
  for (const [token, id] of Object.entries(file.model.vocab)) {
    byId.set(
      id,
      Uint8Array.from(
        [...token].flatMap((character) => table.get(character) ?? [...Buffer.from(character)]),
      ),
    );
  }
  for (const { id, content } of file.added_tokens) byId.set(id, Buffer.from(content));
  const missing = new Uint8Array();
  return { bytesOf: (id) => byId.get(id) ?? missing };
}
