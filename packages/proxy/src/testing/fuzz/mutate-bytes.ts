import type { Random } from "@liverl/contract/random";

const PIECES = [
  "\u0000",
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\\ud800",
  "\\u0000",
  "NaN",
  "-Infinity",
  "1e999",
  "0x1",
  "01",
  "\ufeff",
  "/*",
  "'",
  "[".repeat(5000),
  '{"a":'.repeat(5000),
].map((text) => Buffer.from(text, "utf8"));
const BROKEN_UTF8 = Buffer.from([0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80]);

/** Damages a body's bytes in one to four places: what no JSON library writes. */
export function mutateBytes(random: Random, body: Buffer): Buffer {
  let bytes = body;
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const at = random.below(bytes.length + 1);
    const to = Math.min(bytes.length, at + random.below(40));
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    const piece = PIECES[random.below(PIECES.length)] ?? BROKEN_UTF8;
    const forms = [
      () => before,
      () => Buffer.concat([before, bytes.subarray(to)]),
      () => Buffer.concat([before, bytes.subarray(at, to), after]),
      () => Buffer.concat([before, piece, after]),
      () => Buffer.concat([before, BROKEN_UTF8, after]),
      () => Buffer.concat([before, Buffer.from([random.below(256)]), after.subarray(1)]),
    ];
    bytes = forms[random.below(forms.length)]?.() ?? bytes;
  }
  return bytes;
}
