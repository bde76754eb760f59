const KEYS = new Set(["ArrowLeft", "ArrowRight", "Enter"]);
/** What holds the focus when nothing does: the page itself, or a part of it that scrolls. */
const IDLE = "body, #page, [tabindex='-1']";

/** Whether a key that nobody took is meant for the panel under the pointer: whatever is in focus comes first. */
export function isForHovered(
  { key, defaultPrevented }: Pick<KeyboardEvent, "key" | "defaultPrevented">,
  focused: { matches: (selectors: string) => boolean } | null,
): boolean {
  if (defaultPrevented || !KEYS.has(key)) return false;
  return focused === null || focused.matches(IDLE);
}
