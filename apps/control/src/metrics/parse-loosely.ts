/**
 * Python's json writes these words bare, which is no JSON. Strings are matched first, so that words inside them stay. A
 * string that never ends reaches to the end of the text: trying again behind each of its quotes would take minutes.
 */
const STRING_OR_BARE_WORD = /"(?:[^"\\]|\\.?)*(?:"|$)|NaN|-?Infinity/gs;

/** JSON, also with the bare NaN and Infinity of Python, which become strings; null for anything else. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(
        text.replace(STRING_OR_BARE_WORD, (match) =>
          match.startsWith('"') ? match : `"${match}"`,
        ),
      );
    } catch {
      return null;
    }
  }
}
