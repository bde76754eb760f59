/** Null where the text is none, or no JSON: files of a trial may be cut, or an agent's. Pure. */
export function parseJson(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
