/** A word of a shell script with its quotes taken off. */
export interface ShellWord {
  text: string;
  /** What in it only the shell can expand, as it stands there; null: it means what it says. */
  expansion: string | null;
  /** It is the first of its command. */
  isFirst: boolean;
}

const NAME = /^[A-Za-z_]\w*/;
/** Characters that expansions may bring in all: a word that doubles itself must end somewhere. */
const MOST_EXPANDED = 1_000_000;
const BREAKS = new Set([..." \t\n;&|()<>"]);
/** After these another command begins. */
const COMMAND_ENDS = new Set([..."\n;&|()"]);
const ESCAPED_IN_QUOTES = new Set([...'"\\$`\n']);

/**
 * Words by the quoting rules of POSIX.1-2017, 2.2 and 2.3, without here-documents. `$NAME`, `${NAME}` and
 * `${NAME:-default}` are looked up; commands and arithmetic are left to the shell. A quote that is never closed ends with
 * its line. `onWord` is told of each word before the next one is read.
 */
export function readShellWords(
  script: string,
  lookUp: (name: string) => string | null,
  onWord: (word: ShellWord) => void,
): void {
  let word: ShellWord | null = null;
  let isFirst = true;
  const add = (text: string) => {
    word ??= { text: "", expansion: null, isFirst };
    word.text += text;
  };
  let expanded = 0;
  const expand = (found: Expansion) => {
    expanded += found.value?.length ?? 0;
    const value = expanded > MOST_EXPANDED ? null : found.value;
    add(value ?? "");
    if (word && value === null) word.expansion ??= found.source;
  };
  const end = () => {
    if (word) {
      onWord(word);
      isFirst = false;
    }
    word = null;
  };
  for (let at = 0; at < script.length; ) {
    const char = script[at] ?? "";
    if (char === "#" && word === null) {
      at = endOf(script, "\n", at);
    } else if (BREAKS.has(char)) {
      end();
      if (COMMAND_ENDS.has(char)) isFirst = true;
      at += 1;
    } else if (char === "\\") {
      if (script[at + 1] !== "\n") add(script[at + 1] ?? "\\");
      at += 2;
    } else if (char === "'") {
      const to = script.indexOf("'", at + 1);
      const isClosed = to !== -1;
      const upTo = isClosed ? to : endOf(script, "\n", at);
      add(script.slice(at + 1, upTo));
      at = isClosed ? to + 1 : upTo;
    } else if (char === '"') {
      add("");
      at = readQuoted(script, at, { lookUp, add, expand });
    } else if (char === "$" || char === "`") {
      const found = readExpansion(script, at, lookUp);
      expand(found);
      at = found.to;
    } else {
      add(char);
      at += 1;
    }
  }
  end();
}

/** Where it goes on behind the closing quote. */
function readQuoted(
  script: string,
  from: number,
  on: {
    lookUp: (name: string) => string | null;
    add: (text: string) => void;
    expand: (found: Expansion) => void;
  },
): number {
  const lineEnd = closingDouble(script, from) === -1 ? endOf(script, "\n", from) : script.length;
  let at = from + 1;
  while (at < lineEnd) {
    const char = script[at] ?? "";
    if (char === '"') return at + 1;
    if (char === "\\" && ESCAPED_IN_QUOTES.has(script[at + 1] ?? "")) {
      if (script[at + 1] !== "\n") on.add(script[at + 1] ?? "");
      at += 2;
    } else if (char === "$" || char === "`") {
      const found = readExpansion(script, at, on.lookUp);
      on.expand(found);
      at = found.to;
    } else {
      on.add(char);
      at += 1;
    }
  }
  return lineEnd;
}

interface Expansion {
  /** Null: only the shell knows. */
  value: string | null;
  source: string;
  to: number;
}

function readExpansion(
  script: string,
  at: number,
  lookUp: (name: string) => string | null,
): Expansion {
  const rest = script.slice(at + 1, at + 4_000);
  const of = (value: string | null, length: number): Expansion => ({
    value,
    source: script.slice(at, at + 1 + length),
    to: at + 1 + length,
  });
  if (script[at] === "`") return of(null, lengthTo(rest, "`"));
  const plain = NAME.exec(rest)?.[0];
  if (plain !== undefined) return of(lookUp(plain), plain.length);
  const braced = /^\{([A-Za-z_]\w*)(?::?-([^{}$`]*))?\}/.exec(rest);
  if (braced) {
    const [whole, name = "", fallback] = braced;
    return of(lookUp(name) ?? unquoted(fallback) ?? null, whole.length);
  }
  if (rest.startsWith("{")) return of(null, lengthTo(rest, "}"));
  if (rest.startsWith("(")) return of(null, lengthOfParens(rest));
  if (/^[#?$!@*\-0-9]/.test(rest)) return of(null, 1);
  return of("$", 0);
}

const unquoted = (text: string | undefined) => text?.replace(/^(["'])(.*)\1$/s, "$2");

function lengthOfParens(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth += 1;
    if (text[i] === ")") depth -= 1;
    if (depth === 0) return i + 1;
  }
  return lengthTo(text, "\n");
}

const lengthTo = (text: string, mark: string) => {
  const at = text.indexOf(mark);
  return at === -1 ? text.length : at + 1;
};

const endOf = (script: string, mark: string, from: number) => {
  const at = script.indexOf(mark, from);
  return at === -1 ? script.length : at;
};

function closingDouble(script: string, from: number): number {
  for (let at = from + 1; at < script.length; at++) {
    if (script[at] === "\\") at += 1;
    else if (script[at] === '"') return at;
  }
  return -1;
}
