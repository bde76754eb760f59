import type { TurnVocabulary } from "#families/family.ts";

/** How far back a generation prompt may reach. */
const LONGEST_PROMPT = 64;

/** Whether the generation prompt has opened a thought and left it open: its last control token, or its last text, says so. */
export function opensReasoning(
  { open, close }: { open: string; close: string },
  promptIds: readonly number[],
  vocabulary: TurnVocabulary,
): boolean {
  const { addedIds } = vocabulary;
  const added = new Set(addedIds.values());
  const tail = promptIds.slice(-LONGEST_PROMPT);
  const last = tail.findLastIndex((id) => added.has(id));
  const lastId = tail[last];
  if (lastId !== undefined && lastId === addedIds.get(open)) return true;
  const bytes = tail.slice(last + 1).map((id) => vocabulary.bytesOf(id));
  const text = Buffer.concat(bytes).toString("utf8");
  return text.lastIndexOf(open) > text.lastIndexOf(close);
}
