/** The text without the characters of a set at its end. In linear time, unlike `/x+$/`, which starts over at each x. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
