/** For an option that may be given again, one word each: a list would take the arguments that follow it. */
export const also = (word: string, words: readonly string[] = []): string[] => [...words, word];
