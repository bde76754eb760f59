// What a user side adds to a conversation in one turn, as the benches of the proxy send it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** About four bytes a token, as code and prose have. */
const REPEATED = "the quick brown fox returns 42 errors when the file does not exist ";
/** None of these trained the bench's tokenizer. */
const HELD_OUT = ["openai", "es-toolkit", "@tanstack"];
const LARGEST_FILE = 120_000;
/** So many neighbours of one turn come from one place. */
const PIECE = 1200;

/** mulberry32: 32 bits of state, numbers in [0, 1). */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function* textFiles(directory) {
  const entries = readdirSync(directory, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* textFiles(path);
    else if (/\.(md|ts|mjs)$/.test(entry.name)) yield path;
  }
}

let pieces = null;
function heldOutPieces() {
  if (pieces) return pieces;
  const seen = new Set();
  for (const name of HELD_OUT)
    for (const path of textFiles(join(root, "node_modules", name))) {
      const text = readFileSync(path, "utf8").slice(0, LARGEST_FILE);
      for (let at = 0; at + PIECE <= text.length; at += PIECE) seen.add(text.slice(at, at + PIECE));
    }
  pieces = [...seen];
  return pieces;
}

/**
 * About `characters` of text for the `index`th turn of all. `repeating`: one sentence over and over; `realistic`: real code and
 * prose of packages, in an order that puts unlike pieces beside each other, and none of it twice while it lasts.
 */
export function turnText(form, characters, index) {
  if (form === "repeating")
    return REPEATED.repeat(Math.ceil(characters / REPEATED.length)).slice(0, characters);
  const all = heldOutPieces();
  const count = Math.ceil(characters / PIECE);
  // A prime that does not divide the count visits each piece once.
  const step = all.length % 7919 === 0 ? 7927 : 7919;
  const text = Array.from(
    { length: count },
    (_, i) => all[((index * count + i) * step) % all.length],
  );
  return text.join("\n").slice(0, characters);
}
