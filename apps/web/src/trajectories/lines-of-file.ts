/** Longer ones are shown as they are: to lay them out would hold the page. */
const MAX_LAID_OUT = 1_000_000;

/** A file's lines; those of JSON on one line are laid out. Pure. */
export function linesOfFile(path: string, text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.length > 1 || !path.endsWith(".json") || text.length > MAX_LAID_OUT) return lines;
  try {
    return JSON.stringify(JSON.parse(text), null, 2).split("\n");
  } catch {
    return lines;
  }
}
