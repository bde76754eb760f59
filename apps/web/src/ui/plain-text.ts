/** Escape sequences of a terminal (ECMA-48: CSI, and OSC up to its end): colours, moves of the cursor, titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

/** What a program printed, without its colours, and each of its lines a line: a bar of progress is its last state. Pure. */
export function plainText(text: string): string {
  return text
    .replace(SEQUENCES, "")
    .replaceAll("\r\n", "\n")
    .replace(/^.*\r(?=.)/gm, "")
    .replaceAll("\r", "");
}
