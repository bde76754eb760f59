/** Rust's tokenizers splits by Oniguruma; these are the parts of its syntax that mean something else, or nothing, in JavaScript. */
const UNKNOWN = /&&|\[\[:|\(\?[^:!=i]|\\[bBdDwWhHRXAzZGKkg]/;
const SCRIPTS =
  /\\([pP])\{(Han|Hiragana|Katakana|Hangul|Latin|Cyrillic|Greek|Arabic|Hebrew|Thai)\}/g;
/** What a group without case may hold here: letters, the apostrophe, alternatives and classes of letters. */
const CASELESS = /\(\?i:([A-Za-z'|[\]]*)\)/g;

/**
 * The expression of a `Split` pre-tokenizer, for JavaScript; null where it can not be said exactly. `\s` is Unicode's white space in
 * Oniguruma (with U+0085, without U+FEFF), and a letter without case is also what folds to it (U+017F is an s, U+212A a k).
 */
export function splitPattern(source: string): RegExp | null {
  if (UNKNOWN.test(source) || meansOther(source)) return null;
  const caseful = source.replace(CASELESS, (_, body: string) => `(?:${caselessText(body)})`);
  if (caseful.includes("(?i")) return null;
  const translated = caseful
    .replace(/\\s/g, "\\p{White_Space}")
    .replace(/\\S/g, "\\P{White_Space}")
    .replace(SCRIPTS, "\\$1{Script=$2}");
  try {
    const pattern = new RegExp(translated, "gu");
    return new RegExp(`^(?:${translated})$`, "u").test("") ? null : pattern;
  } catch {
    // Syntax that JavaScript does not have.
    return null;
  }
}

function caselessText(body: string): string {
  let isClass = false;
  let text = "";
  for (const character of body) {
    if (character === "[" || character === "]") isClass = character === "[";
    if (!/[A-Za-z]/.test(character)) {
      text += character;
      continue;
    }
    const lower = character.toLowerCase();
    const folding = lower === "s" ? "\u017f" : lower === "k" ? "\u212a" : "";
    const all = lower + lower.toUpperCase() + folding;
    text += isClass ? all : `[${all}]`;
  }
  return text;
}

/** `^`, `$` and `.` know other line ends there, and a `+` after a quantifier gives nothing back. Inside a class all are ordinary. */
function meansOther(source: string): boolean {
  const outside = source.replace(/\\./gs, "_").replace(/\[[^\]]*\]?/gs, "_");
  return /[.^$]|[?*+]\+/.test(outside);
}
