import { fieldText } from "#launch/parse-field.ts";
import type { Provenance } from "#launch/prepare-provenance.ts";

export interface LineNote {
  tone: "quiet" | "override" | "fail" | "warn";
  text: string;
}

/** Line (1-based) → note, from the sources and faults of the values that stand there. */
export function prepareLineNotes(
  lines: ReadonlyMap<string, number>,
  sources: ReadonlyMap<string, Provenance>,
  faults: ReadonlyMap<string, { level: "fail" | "warn"; message: string }>,
  yamlFault: { message: string; line: number } | null,
): Map<number, LineNote> {
  const notes = new Map<number, LineNote>();
  if (yamlFault) return notes.set(yamlFault.line, { tone: "fail", text: yamlFault.message });
  const rank = { quiet: 0, override: 1, warn: 2, fail: 3 };
  for (const [path, line] of lines) {
    const note = noteOf(sources.get(path), faults.get(path));
    const before = notes.get(line);
    if (note && (!before || rank[note.tone] > rank[before.tone])) notes.set(line, note);
  }
  return notes;
}

function noteOf(
  provenance: Provenance | undefined,
  fault: { level: "fail" | "warn"; message: string } | undefined,
): LineNote | null {
  if (fault) return { tone: fault.level, text: fault.message };
  if (!provenance) return null;
  if (provenance.source !== "override") return { tone: "quiet", text: provenance.source };
  return {
    tone: "override",
    text:
      provenance.was === undefined
        ? "override"
        : `override, was ${fieldText(provenance.was) || "none"}`,
  };
}
