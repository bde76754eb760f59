import { readShellWords } from "#launch/environment/read-shell-words.ts";

/** `NAME=value` and Hydra's `key.of.config=value`. */
const ASSIGNMENT = /^([+~]{0,2}[A-Za-z_][\w./@-]*)=([\s\S]*)$/;

export interface ShellReading {
  values: Record<string, string>;
  /** Names whose value only the shell knows, with what it would expand. */
  unread: Record<string, string>;
}

/**
 * What a piece of a shell script assigns, in order; a later assignment of a name wins. `$NAME` is what the script gave it
 * before, `${NAME:-value}` its default else.
 */
export function parseShell(script: string): ShellReading {
  const values = new Map<string, string>();
  const unread = new Map<string, string>();
  readShellWords(
    // Line ends of Windows are none to a shell.
    script.replaceAll("\r\n", "\n"),
    (name) => values.get(name) ?? null,
    ({ text, expansion }) => {
      const [, name, value] = ASSIGNMENT.exec(text) ?? [];
      if (name === undefined || value === undefined) return;
      values.delete(name);
      unread.delete(name);
      if (expansion === null) values.set(name, value);
      else unread.set(name, expansion);
    },
  );
  return { values: Object.fromEntries(values), unread: Object.fromEntries(unread) };
}
