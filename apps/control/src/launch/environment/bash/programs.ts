import type { Shell } from "#launch/environment/bash/shell.ts";
import {
  EMPTY,
  lengthOf,
  mapText,
  type Piece,
  plain,
  sliceText,
  splitText,
  type Text,
  textOf,
  trimLineEnds,
} from "#launch/environment/bash/text.ts";

/** What a program prints; undefined where only running it would tell. */
type Program = (shell: Shell, argv: readonly Text[]) => Text | undefined;

/** Programs that print what follows from their arguments and input alone. */
export const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["basename", basename],
  ["dirname", dirname],
  ["seq", seq],
  ["expr", expr],
  ["cat", cat],
  ["tee", tee],
  ["tr", (shell, argv) => onInput(shell, (text) => translate(text, argv.map(plain)))],
  ["rev", (shell) => onInput(shell, (text) => eachLine(text, reverse))],
  ["wc", (shell, argv) => onInput(shell, (text) => count(text, plain(argv[0] ?? EMPTY) ?? ""))],
  ["cut", (shell, argv) => onInput(shell, (text) => cut(text, argv.map(plain)))],
  ["head", (shell, argv) => onInput(shell, (text) => firstLines(text, argv.map(plain)))],
  ["xargs", (shell, argv) => (argv.length > 0 ? undefined : onInput(shell, oneLine))],
  ["paste", (shell, argv) => onInput(shell, (text) => paste(text, argv.map(plain)))],
  ["bc", (shell) => onInput(shell, (text) => calculate(shell, text))],
  ["sed", (shell, argv) => onInput(shell, (text) => substitute(text, argv.map(plain)))],
  ["awk", (shell, argv) => awk(shell, argv.map(plain))],
]);

const line = (text: Text): Text => [...text, ...textOf("\n", text.at(-1)?.at ?? 0)];

function onInput(shell: Shell, work: (text: Text) => Text | undefined): Text | undefined {
  if (shell.input === null) return undefined;
  shell.spend(1 + Math.ceil(lengthOf(shell.input.rest) / 50));
  return work(shell.input.rest);
}

function eachLine(text: Text, work: (line: Text) => Text | undefined): Text | undefined {
  const done: Text[] = [];
  for (const each of splitText(trimLineEnds(text), "\n")) {
    const made = work(each);
    if (made === undefined) return undefined;
    done.push(line(made));
  }
  return done.flat();
}

/** The part behind the last slash; enough of a text whose start is unknown. */
function basename(_: Shell, argv: readonly Text[]): Text | undefined {
  const words = argv.filter((text) => !/^(?:--|-[az]+)$/.test(plain(text) ?? ""));
  const [path = EMPTY, suffix] = words;
  const end = lastSlash(path);
  if (end === null) return undefined;
  const name = sliceText(path, end.after, end.length);
  const cutOff = suffix === undefined ? "" : plain(suffix);
  const known = plain(name);
  if (known === null || cutOff === null) return undefined;
  const isCut = cutOff !== "" && known !== cutOff && known.endsWith(cutOff);
  return line(isCut ? sliceText(name, 0, known.length - cutOff.length) : name);
}

function dirname(_: Shell, argv: readonly Text[]): Text | undefined {
  const path = argv.find((text) => plain(text) !== "--") ?? EMPTY;
  const end = lastSlash(path);
  if (end === null) return undefined;
  if (end.after === 0) return plain(path) === null ? undefined : line(textOf(".", 0));
  const folder = sliceText(path, 0, Math.max(1, end.after - 1));
  return line(folder);
}

/** Where the last name of a path begins and ends; null where that is unknown. */
function lastSlash(path: Text): { after: number; length: number } | null {
  const last = path.at(-1);
  if (last === undefined) return { after: 0, length: 0 };
  if ("unknown" in last) return null;
  let end = last.text.length;
  while (end > 1 && last.text[end - 1] === "/") end -= 1;
  const slash = last.text.lastIndexOf("/", end - 1);
  if (slash === -1 && path.length > 1 && path.some((piece) => "unknown" in piece)) return null;
  const before = lengthOf(path) - last.text.length;
  if (slash === -1 && path.length > 1) {
    const whole = plain(path) ?? "";
    return { after: whole.lastIndexOf("/", before + end - 1) + 1, length: before + end };
  }
  return { after: slash === -1 ? 0 : before + slash + 1, length: before + end };
}

function seq(shell: Shell, argv: readonly Text[]): Text | undefined {
  const words = argv.map(plain);
  let by = "\n";
  if (words[0] === "-s") by = words.splice(0, 2)[1] ?? "\n";
  else if (words[0]?.startsWith("-s")) by = words.shift()?.slice(2) ?? "\n";
  const numbers = words.map((word) =>
    word !== null && /^-?\d{1,9}$/.test(word) ? Number(word) : null,
  );
  if (numbers.length === 0 || numbers.length > 3 || numbers.includes(null)) return undefined;
  const [a = 1, b, c] = numbers as number[];
  const [first, step, last] = b === undefined ? [1, 1, a] : c === undefined ? [a, 1, b] : [a, b, c];
  if (step === 0 || Math.abs((last - first) / step) > 10_000) return undefined;
  const all: number[] = [];
  for (let at = first; step > 0 ? at <= last : at >= last; at += step) all.push(at);
  shell.spend(all.length);
  return all.length === 0 ? EMPTY : textOf(`${all.join(by)}\n`, 0);
}

function expr(shell: Shell, argv: readonly Text[]): Text | undefined {
  const words = argv.map(plain);
  if (words.includes(null) || words.length === 0) return undefined;
  if (words.some((word) => !/^(?:-?\d+|[-+*/%()]|[<>!]?=|[<>])$/.test(word ?? "")))
    return undefined;
  const value = shell.evaluateExpression(
    words.map((word) => (word === "=" ? "==" : word)).join(" "),
    0,
  );
  return typeof value === "bigint" ? textOf(`${value}\n`, argv[0]?.[0]?.at ?? 0) : undefined;
}

function cat(shell: Shell, argv: readonly Text[]): Text | undefined {
  const paths = argv.filter((text) => plain(text) !== "-");
  if (paths.length === 0) return shell.input?.rest;
  const contents = paths.map((path) => shell.files.get(plain(path) ?? ""));
  return contents.includes(undefined) ? undefined : (contents as Text[]).flat();
}

function tee(shell: Shell, argv: readonly Text[]): Text | undefined {
  if (shell.input === null) return undefined;
  const words = argv.map(plain);
  const isAppended = words.some((word) => word === "-a" || word === "--append");
  for (const path of words)
    if (path !== null && !path.startsWith("-")) {
      const before = isAppended ? (shell.files.get(path) ?? EMPTY) : EMPTY;
      shell.files.set(path, [...before, ...shell.input.rest]);
    }
  return shell.input.rest;
}

const CLASSES: Record<string, string> = {
  "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  "[:lower:]": "abcdefghijklmnopqrstuvwxyz",
  "[:digit:]": "0123456789",
  "[:space:]": " \t\n\r\f\v",
  "[:blank:]": " \t",
  "[:punct:]": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
};
CLASSES["[:alpha:]"] = `${CLASSES["[:upper:]"]}${CLASSES["[:lower:]"]}`;
CLASSES["[:alnum:]"] = `${CLASSES["[:digit:]"]}${CLASSES["[:alpha:]"]}`;

/** The characters that an operand of `tr` names. */
function characterSet(text: string): string {
  let set = text
    .replace(/\[:\w{5}:\]/g, (name) => CLASSES[name] ?? name)
    .replaceAll("\\n", "\n")
    .replaceAll("\\t", "\t")
    .replaceAll("\\\\", "\\");
  set = set.replace(/([A-Za-z0-9])-([A-Za-z0-9])/g, (whole, from: string, to: string) => {
    const [a, b] = [from.charCodeAt(0), to.charCodeAt(0)];
    return a > b
      ? whole
      : Array.from({ length: b - a + 1 }, (_, i) => String.fromCharCode(a + i)).join("");
  });
  return set;
}

function translate(text: Text, words: readonly (string | null)[]): Text | undefined {
  if (words.includes(null)) return undefined;
  const flags = words.filter((word) => /^-[a-zA-Z]+$/.test(word ?? "")).join("");
  const [from = "", to = ""] = words
    .filter((word) => !/^-[a-zA-Z]+$/.test(word ?? ""))
    .map((word) => characterSet(word ?? ""));
  const isComplement = /[cC]/.test(flags);
  const isIn = (char: string) => from.includes(char) !== isComplement;
  if (plain(text) === null && flags !== "" && flags !== "-d") return undefined;
  if (flags.includes("d"))
    return mapText(text, (part) =>
      part
        .split("")
        .filter((char) => !isIn(char))
        .join(""),
    );
  const last = to.at(-1) ?? "";
  const change = (char: string) => {
    if (!isIn(char) || to === "") return char;
    return isComplement ? last : (to[from.indexOf(char)] ?? last);
  };
  const squeezed = to === "" ? from : to;
  return mapText(text, (part) => {
    const changed = part.split("").map(change);
    return flags.includes("s")
      ? changed.filter((char, i) => char !== changed[i - 1] || !squeezed.includes(char)).join("")
      : changed.join("");
  });
}

const reverse = (text: Text): Text | undefined => {
  const known = plain(text);
  return known === null ? undefined : textOf([...known].reverse().join(""), text[0]?.at ?? 0);
};

function count(text: Text, flag: string): Text | undefined {
  const known = plain(text);
  if (known === null) return undefined;
  const at = text[0]?.at ?? 0;
  if (flag === "-l") return textOf(`${known.split("\n").length - 1}\n`, at);
  if (flag === "-w")
    return textOf(`${known.split(/\s/).filter((word) => word !== "").length}\n`, at);
  return flag === "-c" || flag === "-m" ? textOf(`${known.length}\n`, at) : undefined;
}

function cut(text: Text, words: readonly (string | null)[]): Text | undefined {
  const all = words.map((word) => word ?? "").join("\u0000");
  const [, delimiter = "\t"] = /(?:^|\0)(?:-d|--delimiter=)\0?([^\0])/.exec(all) ?? [];
  const [, kind, from, dash, to] =
    /(?:^|\0)-([fc])\0?(\d{0,4})(-?)(\d{0,4})(?:\0|$)/.exec(all) ?? [];
  if (words.includes(null) || kind === undefined) return undefined;
  const first = Number(from || 1);
  const last = dash === "" ? first : Number(to || Number.MAX_SAFE_INTEGER);
  return eachLine(text, (each) => {
    if (kind === "c") return plain(each) === null ? undefined : sliceText(each, first - 1, last);
    const fields = splitText(each, delimiter);
    if (fields.length === 1) return each;
    return join(fields.slice(first - 1, last), delimiter);
  });
}

const join = (parts: readonly Text[], by: string): Text =>
  parts.flatMap((part, i) => (i > 0 ? [...textOf(by, part[0]?.at ?? 0), ...part] : part));

function firstLines(text: Text, words: readonly (string | null)[]): Text | undefined {
  const [, number] = /^-(?:n ?)?(\d{1,6})$/.exec(words.join(" ").trim()) ?? [];
  if (number === undefined || plain(text) === null) return undefined;
  const lines = splitText(trimLineEnds(text), "\n").slice(0, Number(number));
  return line(join(lines, "\n"));
}

function oneLine(text: Text): Text | undefined {
  const known = plain(text);
  if (known === null || /["'\\]/.test(known)) return undefined;
  return textOf(
    `${known
      .split(/\s/)
      .filter((word) => word !== "")
      .join(" ")}\n`,
    text[0]?.at ?? 0,
  );
}

function paste(text: Text, words: readonly (string | null)[]): Text | undefined {
  const all = words.filter((word) => word !== "-").join(" ");
  const [, by] = /^-s(?: -d|d) ?(.)$/.exec(all) ?? [];
  if (by === undefined) return undefined;
  return line(join(splitText(trimLineEnds(text), "\n"), by));
}

function calculate(shell: Shell, text: Text): Text | undefined {
  const known = plain(text)?.trim();
  // Only whole numbers, which bc divides as a shell does.
  if (!known || !/^[\d\s()+*/%-]{1,200}$/.test(known)) return undefined;
  const value = shell.evaluateExpression(known, 0);
  return typeof value === "bigint" ? textOf(`${value}\n`, text[0]?.at ?? 0) : undefined;
}

/** `s/literal/literal/g`: anything with special characters is left unknown. */
function substitute(text: Text, words: readonly (string | null)[]): Text | undefined {
  const scripts = words.filter((word) => !/^-[rE]+$|^-e$/.test(word ?? ""));
  const [script] = scripts;
  if (scripts.length !== 1 || !script || plain(text) === null) return undefined;
  const mark = script[1] ?? "";
  const [command, from, to, flags] = script.split(mark);
  if (command !== "s" || from === undefined || to === undefined || script.split(mark).length !== 4)
    return undefined;
  const literal = from.replace(/\\([./-])/g, "$1");
  if (from === "" || /[\\^$*[\]+?(){}|]/.test(literal) || /[\\&]/.test(to)) return undefined;
  // An unescaped dot is any character.
  if (/(?<!\\)\./.test(from) || !/^g?$/.test(flags ?? "")) return undefined;
  return eachLine(text, (each) => {
    const parts: Piece[] = [];
    let rest = plain(each) ?? "";
    let at = 0;
    for (let found = rest.indexOf(literal); found !== -1; found = rest.indexOf(literal, at)) {
      parts.push(...sliceText(each, at, found), ...textOf(to, each[0]?.at ?? 0));
      at = found + literal.length;
      if (flags !== "g") break;
    }
    rest = "";
    return [...parts, ...sliceText(each, at)];
  });
}

/** `{print $N}`, `{print $NF}`, `{print tolower($0)}`, and sums of numbers in `BEGIN{print …}`. */
function awk(shell: Shell, words: readonly (string | null)[]): Text | undefined {
  const all = [...words];
  let separator = "";
  const [flag] = all;
  if (flag === "-F") separator = all.splice(0, 2)[1] ?? "";
  else if (flag?.startsWith("-F")) separator = all.shift()?.slice(2) ?? "";
  const [script] = all;
  if (all.length !== 1 || !script || separator.length > 1) return undefined;
  const [, sum] = /^\s*BEGIN\s*\{\s*print\s+([\d\s()+*%-]{1,100})\}\s*$/.exec(script) ?? [];
  if (sum !== undefined) {
    const value = shell.evaluateExpression(sum.trim(), 0);
    return typeof value === "bigint" ? textOf(`${value}\n`, 0) : undefined;
  }
  const [, action] =
    /^\s*\{\s*print\s+(\$\d{1,3}|\$NF|\$0|(?:tolower|toupper)\(\$0\))[\s;]*\}\s*$/.exec(script) ??
    [];
  if (action === undefined) return undefined;
  return onInput(shell, (text) =>
    eachLine(text, (each) => {
      if (action === "$0") return each;
      if (action.startsWith("to"))
        return mapText(each, (part) =>
          action.startsWith("tolower") ? part.toLowerCase() : part.toUpperCase(),
        );
      if (plain(each) === null) return undefined;
      const fields = splitText(each, separator === "" ? " \t" : separator).filter(
        (field) => separator !== "" || field.length > 0,
      );
      return (action === "$NF" ? fields.at(-1) : fields[Number(action.slice(1)) - 1]) ?? EMPTY;
    }),
  );
}
