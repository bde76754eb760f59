/** The file that a line of a patch names as changed, as it is called after the change; null for every other line. */
function namedPath(line: string): string | null {
  const names = /^diff --git "?a\/./.test(line) ? line : "";
  const second = / "?b\//.exec(names);
  if (!second) return null;
  const path = names.slice(second.index + second[0].length);
  return path.endsWith('"') ? path.slice(0, -1) : path;
}

/** Lines that a patch adds, `+` before them, with the file that they are in. Pure. */
export function addedLines(patch: string): { path: string; line: string }[] {
  const added: { path: string; line: string }[] = [];
  let path = "";
  for (const line of patch.split("\n")) {
    const named = namedPath(line);
    if (named !== null) path = named;
    else if (line.startsWith("+") && !line.startsWith("+++")) added.push({ path, line });
  }
  return added;
}

/** Files of a patch, as they are called after it. Pure. */
export const changedPaths = (patch: string): string[] =>
  patch.split("\n").flatMap((line) => namedPath(line) ?? []);
