export interface PatchLine {
  kind: "file" | "hunk" | "same" | "add" | "remove" | "note";
  text: string;
  /** Line numbers, from 1, on either side. */
  before: number | null;
  after: number | null;
}

/** Lines of a unified diff. Anything that is not one stays as notes, so that nothing is hidden. */
export function parsePatch(patch: string): PatchLine[] {
  const lines: PatchLine[] = [];
  let before = 0;
  let after = 0;
  let inHunk = false;
  const source = patch.endsWith("\n") ? patch.slice(0, -1) : patch;
  for (const text of source.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      inHunk = true;
      lines.push({ kind: "hunk", text, before: null, after: null });
    } else if (!inHunk || /^(diff --git |Index: |={20,}$)/.test(text)) {
      inHunk = false;
      if (text.startsWith("+++ "))
        lines.push({ kind: "file", text: fileName(text), before: null, after: null });
      else if (
        !/^(---|diff --git|index |Index: |=+$|new file|deleted file|old mode|new mode)/.test(
          text,
        ) &&
        text !== ""
      ) {
        lines.push({ kind: "note", text, before: null, after: null });
      }
    } else if (text.startsWith("+++ ") && lines.at(-1)?.text.startsWith("-- ")) {
      // The next file of a diff without a `diff --git` line: its `--- a/x` was read as a removal of `-- a/x`.
      lines.pop();
      inHunk = false;
      lines.push({ kind: "file", text: fileName(text), before: null, after: null });
    } else if (text.startsWith("+")) {
      lines.push({ kind: "add", text: text.slice(1), before: null, after });
      after += 1;
    } else if (text.startsWith("-")) {
      lines.push({ kind: "remove", text: text.slice(1), before, after: null });
      before += 1;
    } else if (text.startsWith("\\")) {
      lines.push({ kind: "note", text: text.slice(2), before: null, after: null });
    } else {
      lines.push({ kind: "same", text: text.slice(1), before, after });
      before += 1;
      after += 1;
    }
  }
  return lines;
}

/** How many lines a patch adds and removes. */
export function countPatch(lines: readonly PatchLine[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.kind === "add").length,
    removed: lines.filter((line) => line.kind === "remove").length,
  };
}

function fileName(header: string): string {
  const name = header.slice(4).split("\t")[0] ?? "";
  return name.replace(/^b\//, "");
}
