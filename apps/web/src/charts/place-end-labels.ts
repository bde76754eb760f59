/** A name for the end of a line: of its last point, then of the text's own corner, CSS pixels. */
export type EndLabel = { text: string; x: number; y: number; width: number };

const GAP = 6;
const LINE = 11;
/** From the middle of a text of 10.5 px down to its baseline. */
const BASELINE = 3.5;

/**
 * Where the names stand: right of the last point where there is room, else above the line that comes from the left. Of two that would
 * lie on each other the lower point's goes further down. The result has the left end of each baseline, in the order given.
 */
export function placeEndLabels<Label extends EndLabel>(
  labels: readonly Label[],
  box: { width: number; height: number },
): Label[] {
  const placed = labels.map((label) => {
    const hasRoom = label.x + GAP + label.width <= box.width;
    return {
      ...label,
      x: hasRoom ? label.x + GAP : Math.max(0, label.x - GAP / 2 - label.width),
      y: hasRoom ? label.y + BASELINE : label.y - GAP,
    };
  });
  const taken: EndLabel[] = [];
  for (const label of [...placed].sort((a, b) => a.y - b.y)) {
    label.y = Math.max(LINE - 2, label.y);
    for (const other of taken)
      if (
        label.x < other.x + other.width &&
        other.x < label.x + label.width &&
        label.y < other.y + LINE
      )
        label.y = other.y + LINE;
    taken.push(label);
  }
  return settled(placed, box.height);
}

/** Names that were pushed below the plot move up again, each over the one below it. */
function settled<Label extends EndLabel>(placed: readonly Label[], height: number): Label[] {
  const fromBelow = [...placed].sort((a, b) => b.y - a.y);
  for (const [at, label] of fromBelow.entries()) {
    label.y = Math.min(label.y, height);
    for (const other of fromBelow.slice(0, at))
      if (
        label.x < other.x + other.width &&
        other.x < label.x + label.width &&
        label.y > other.y - LINE
      )
        label.y = other.y - LINE;
    // More than have room lie on each other rather than beyond the plot.
    label.y = Math.max(LINE - 2, label.y);
  }
  return [...placed];
}
