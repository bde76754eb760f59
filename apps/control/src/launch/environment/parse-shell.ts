import { readShellWords } from "#launch/environment/read-shell-words.ts";

/** `NAME=value` and Hydra's `key.of.config=value`. */
const ASSIGNMENT = /^([+~]{0,2}[A-Za-z_][\w./@-]*)=([\s\S]*)$/;
const VARIABLE = /^[A-Za-z_]\w*$/;
/** LiveRL puts a run's own modules before what the script finds there, so an unset one is an empty one. */
const LISTS = new Set(["PYTHONPATH", "LD_LIBRARY_PATH"]);

export interface ShellReading {
  values: Record<string, string>;
  /** Names whose value only the shell knows, with what it would expand. */
  unread: Record<string, string>;
  /** Names that the programs which the script starts see, too: `export A=1`, `A=1 program`, `env A=1 program`. */
  exported: readonly string[];
  /** Python modules that the script runs, `python -m MODULE`. */
  modules: readonly string[];
}

/**
 * What a piece of a shell script assigns, in order; a later assignment of a name wins. `$NAME` is what the script gave it
 * before, `${NAME:-value}` its default else.
 */
export function parseShell(script: string): ShellReading {
  const values = new Map<string, string>();
  const unread = new Map<string, string>();
  const exported = new Set<string>();
  const modules = new Set<string>();
  /** Assignments before the command's own name are its variables. */
  let prefix: string[] = [];
  let command: string | null = null;
  let before = "";
  readShellWords(
    // Line ends of Windows are none to a shell.
    script.replace(/\r\n?/g, "\n"),
    (name) => values.get(name) ?? (LISTS.has(name) ? "" : null),
    ({ text, expansion, isFirst }) => {
      if (isFirst) [prefix, command, before] = [[], null, ""];
      const [, name, value] = ASSIGNMENT.exec(text) ?? [];
      const isVariable = VARIABLE.test(name ?? text);
      if (name !== undefined && value !== undefined) {
        values.delete(name);
        unread.delete(name);
        if (expansion === null) values.set(name, value);
        else unread.set(name, expansion);
        if (!isVariable) return;
        if (command === null) prefix.push(name);
        else if (command === "export" || command === "env") exported.add(name);
        return;
      }
      if (command === null) for (const each of prefix) exported.add(each);
      if (command === "export" && isVariable) exported.add(text);
      if (before === "-m") modules.add(text);
      command ??= text;
      before = text;
    },
  );
  return {
    values: Object.fromEntries(values),
    unread: Object.fromEntries(unread),
    exported: [...exported],
    modules: [...modules],
  };
}
