import type { TokenBytes } from "#trajectories/open-tokenizer.ts";

/**
 * The text of each token, byte-exact: characters that end inside a token belong to that token, a byte of a character
 * that its token does not finish or begin reads `\xNN`.
 */
export function tokenTexts(tokenizer: TokenBytes | null, ids: readonly number[]): string[] {
  return ids.map((id) => (tokenizer ? readable(tokenizer.bytesOf(id)) : `⟨${id}⟩`));
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readable(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at] ?? 0);
    const piece = bytes.subarray(at, at + length);
    try {
      text += decoder.decode(piece);
      at += length;
    } catch {
      text += `\\x${(bytes[at] ?? 0).toString(16).padStart(2, "0").toUpperCase()}`;
      at += 1;
    }
  }
  return text;
}

/** RFC 3629 §3: the first byte tells how many follow. */
function sequenceLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
