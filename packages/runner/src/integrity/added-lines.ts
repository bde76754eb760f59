const HEADER = /^diff --git "?a\/(.+?)"? "?b\/(.+?)"?$/;

/** Lines that a patch adds, `+` before them, with the file that they are in. Pure. */
export function addedLines(patch: string): { path: string; line: string }[] {
  const added: { path: string; line: string }[] = [];
  let path = "";
  for (const line of patch.split("\n")) {
    const named = HEADER.exec(line)?.[2];
    if (named !== undefined) path = named;
    else if (line.startsWith("+") && !line.startsWith("+++")) added.push({ path, line });
  }
  return added;
}

/** Files of a patch, as they are called after it. Pure. */
export const changedPaths = (patch: string): string[] =>
  patch.split("\n").flatMap((line) => HEADER.exec(line)?.[2] ?? []);
