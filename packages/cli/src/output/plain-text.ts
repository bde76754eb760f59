/** Everything below a space but tab and newline, and the C1 controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text for a terminal: what agents and logs say must not move its cursor, or set its title. */
export function plainText(text: string): string {
  return text.replace(CONTROLS, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
