import type { Random } from "@liverl/contract/random";

const SPACES = ["", "", " ", "  ", "\n "] as const;

/**
 * JSON as policies write it: any key order and white space, some characters as `\u` escapes. A parse and
 * `JSON.stringify` give other bytes, so whoever renders an echo of it renders other tokens.
 */
export function oddJson(value: Record<string, unknown>, random: Random): string {
  const space = () => random.pick(SPACES);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  for (let i = entries.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    const [a, b] = [entries[i], entries[j]];
    if (a && b) [entries[i], entries[j]] = [b, a];
  }
  const members = entries.map(
    ([key, inner]) => `${space()}"${key}"${space()}:${space()}${oddValue(inner, random)}`,
  );
  return `{${members.join(`${space()},`)}${space()}}`;
}

function oddValue(value: unknown, random: Random): string {
  if (typeof value === "string") return oddString(value, random);
  // 5000 is 5e3 to a policy, too.
  if (typeof value === "number" && value % 1000 === 0 && value !== 0) return `${value / 1000}e3`;
  return JSON.stringify(value);
}

function oddString(text: string, random: Random): string {
  const escaped = [...JSON.stringify(text).slice(1, -1)].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    const unicode = code > 0x7e && code < 0xd800;
    return unicode && random.below(2) === 0
      ? `\\u${code.toString(16).padStart(4, "0")}`
      : character;
  });
  return `"${escaped.join("")}"`;
}
