/** A NUL, or half of a character that UTF-16 writes in two: no database and no file of UTF-8 holds them. */
const NOT_STORABLE = /\0|\p{Surrogate}/u;

export const notStorable = "has a zero byte or half a character, which can not be stored";

export function isStorable(text: string): boolean {
  return !NOT_STORABLE.test(text);
}

/** Place of the first text, or key of a map, that can not be stored, as the keys that lead to it; null where all can. */
export function findNotStorable(value: unknown): string[] | null {
  if (typeof value === "string") return isStorable(value) ? null : [];
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) return [key];
    const at = findNotStorable(inner);
    if (at !== null) return [key, ...at];
  }
  return null;
}
