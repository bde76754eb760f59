import { plain, sliceText, type Text } from "#jinja/given-text.ts";

/** What `str.isspace` calls space: JavaScript's `\s` lacks the separators below U+0020 and has U+FEFF. */
export const PYTHON_SPACE =
  "\t\n\v\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
const SPACE = new Set(PYTHON_SPACE);

export const isSpace = (character: string): boolean => SPACE.has(character);

/** `str.strip` and its halves. `characters`: the set to take away; null for white space. */
export function stripText(
  source: Text,
  characters: string | null,
  { left = true, right = true } = {},
): Text {
  const set = characters === null ? SPACE : new Set(characters);
  const units = plain(source);
  let start = 0;
  let end = units.length;
  while (left && start < end && set.has(characterAt(units, start)))
    start += characterAt(units, start).length;
  while (right && end > start && set.has(characterBefore(units, end)))
    end -= characterBefore(units, end).length;
  return start === 0 && end === units.length ? source : sliceText(source, start, end);
}

const characterAt = (text: string, at: number): string =>
  String.fromCodePoint(text.codePointAt(at) ?? 0);

function characterBefore(text: string, end: number): string {
  const last = text[end - 1] ?? "";
  const pair = end > 1 && /[\udc00-\udfff]/.test(last) ? text.slice(end - 2, end) : last;
  return [...pair].length === 1 ? pair : last;
}
