import { OVER_PAGE } from "#ui/use-page-keys.ts";

const ARROWS = new Set(["ArrowLeft", "ArrowRight"]);
/** What holds the focus when nothing does: the page itself, or a part of it that scrolls. */
const IDLE = "body, #page, [tabindex='-1']";
/** What has no use for ← and → itself: a button that was pressed last keeps the focus. */
const WITHOUT_ARROWS = "button:not([role]), a[href], summary";

/** Whether a key that nobody took is meant for the panel under the pointer: whatever is in focus comes first. */
export function isForHovered(
  { key, defaultPrevented }: Pick<KeyboardEvent, "key" | "defaultPrevented">,
  focused: {
    matches(selectors: string): boolean;
    closest(selectors: string): object | null;
  } | null,
): boolean {
  const isArrow = ARROWS.has(key);
  if (defaultPrevented || (!isArrow && key !== "Enter")) return false;
  if (focused === null) return true;
  if (focused.closest(OVER_PAGE) !== null) return false;
  return focused.matches(IDLE) || (isArrow && focused.matches(WITHOUT_ARROWS));
}
