/** `NAME=value` and Hydra's `key.of.config=value`, at the start of a word; a value is quoted or ends at a blank. */
const ASSIGNMENT =
  /(?<=^|[\s;(])(?:export[ \t]+)?([+~]{0,2}[A-Za-z_][\w.]*)=("(?:[^"\\]|\\[\s\S])*"|'[^']*'|[^\s;)#]*)/g;
/** A default of the shell: `${NAME:-value}`. */
const DEFAULT = /^\$\{\w+:?-([^}]*)\}$/;

/**
 * What a piece of a shell script assigns, in order; a later assignment of a name wins. `${NAME:-value}` is its default;
 * other expansions are left out, as only the shell knows them.
 */
export function parseShell(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const bare = text.replace(/^[ \t]*#.*$/gm, "").replace(/\\\n/g, " ");
  for (const [, name, raw = ""] of bare.matchAll(ASSIGNMENT)) {
    const value = /^".*"$/s.test(raw)
      ? raw.slice(1, -1).replace(/\\(["\\$`])/g, "$1")
      : raw.replace(/^'(.*)'$/s, "$1");
    const known = DEFAULT.exec(value)?.[1] ?? value;
    if (name !== undefined && !known.includes("$")) found[name] = known;
  }
  return found;
}
