import { plain, type Text } from "#jinja/given-text.ts";
import type { ControlPlace, ControlTokens } from "#renderer/control-tokens.ts";

/**
 * How many of `ids`, the tokens of `text`, stand before each of these places (UTF-16 units) in it. Null where a token
 * reaches over the place, or the text would be encoded otherwise if it were cut there.
 */
export async function tokenOffsets(
  text: Text,
  ids: readonly number[],
  places: readonly number[],
  {
    control,
    encodePlain,
  }: { control: ControlTokens; encodePlain(text: string): Promise<readonly number[]> },
): Promise<ReadonlyMap<number, number | null>> {
  const offsets = new Map<number, number | null>();
  if (places.length === 0) return offsets;
  const marks = control.places(text);
  const tokens = tokensOf(marks, ids, control);
  for (const place of places) {
    offsets.set(place, null);
    if (!tokens) continue;
    // Between two control tokens the text is encoded by itself.
    const next = firstFrom(marks, place);
    const [start, first] = [marks[next - 1]?.end ?? 0, (tokens[next - 1] ?? -1) + 1];
    const end = marks[next]?.start ?? plain(text).length;
    const piece = ids.slice(first, tokens[next] ?? ids.length);
    if (place < start) continue;
    const head = await encodePlain(plain(text).slice(start, place));
    const tail = await encodePlain(plain(text).slice(place, end));
    const isSeam =
      head.length + tail.length === piece.length &&
      piece.every((id, i) => id === (i < head.length ? head[i] : tail[i - head.length]));
    if (isSeam) offsets.set(place, first + head.length);
  }
  return offsets;
}

/** Index of each control token among the ids; null where these are not all that there are. */
function tokensOf(
  marks: readonly ControlPlace[],
  ids: readonly number[],
  { byText }: ControlTokens,
): number[] | null {
  const controlIds = new Set(byText.values());
  const tokens = ids.flatMap((id, i) => (controlIds.has(id) ? [i] : []));
  const isSame =
    tokens.length === marks.length && marks.every(({ id }, i) => id === ids[tokens[i] ?? -1]);
  return isSame ? tokens : null;
}

/** Index of the first mark that begins at `place` or behind it. */
function firstFrom(marks: readonly ControlPlace[], place: number): number {
  const found = marks.findIndex(({ start }) => start >= place);
  return found < 0 ? marks.length : found;
}
