/** Index of the token under the pointer: `[data-index]` names a run's first token, `texts` are those of a range that begins at `from`. */
export function tokenAtPoint(
  { target, clientX, clientY }: Pick<MouseEvent, "target" | "clientX" | "clientY">,
  texts: readonly string[],
  from: number,
): number | null {
  const run = target instanceof Element ? target.closest<HTMLElement>("span[data-index]") : null;
  if (!run) return null;
  const first = Number(run.dataset.index);
  return tokenAtOffset(texts, first - from, caretIn(run, clientX, clientY)) + from;
}

/** Index of the token that holds the character at `offset` from the start of token `first`. */
export function tokenAtOffset(texts: readonly string[], first: number, offset: number): number {
  let end = 0;
  for (let index = first; index < texts.length; index += 1) {
    end += texts[index]?.length ?? 0;
    if (offset < end) return index;
  }
  return first;
}

/** Characters of the run before the point; 0 where the browser can not tell. */
function caretIn(run: Element, x: number, y: number): number {
  const place = document.caretPositionFromPoint?.(x, y);
  if (!place || !run.contains(place.offsetNode)) return 0;
  // A caret stands between two characters: right of the middle of one it is after it.
  const range = document.createRange();
  range.setStart(place.offsetNode, Math.max(0, place.offset - 1));
  range.setEnd(place.offsetNode, place.offset);
  const box = range.getBoundingClientRect();
  const isAfter = place.offset > 0 && x < box.right && y >= box.top && y <= box.bottom;
  return isAfter ? place.offset - 1 : place.offset;
}
