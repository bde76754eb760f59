import type { Assignment, Command } from "unbash";
import { isInteger } from "#launch/environment/bash/arithmetic.ts";
import { isDoubt, testWords } from "#launch/environment/bash/conditions.ts";
import { formatPrintf, unescapeEcho } from "#launch/environment/bash/printf.ts";
import type { Shell } from "#launch/environment/bash/shell.ts";
import { DONE, failed, isLikelyFound, Jump, type Status } from "#launch/environment/bash/status.ts";
import {
  EMPTY,
  mapText,
  plain,
  show,
  splitText,
  type Text,
  textOf,
  unknownText,
} from "#launch/environment/bash/text.ts";
import { numberOf, type Variable } from "#launch/environment/bash/variables.ts";

interface Call {
  argv: readonly Text[];
  /** `export A=1`: the words that are assignments. */
  declared: readonly Assignment[];
  node: Command;
}

type Builtin = (shell: Shell, call: Call) => Status;

const words = ({ argv }: Call) => argv.map((text) => plain(text) ?? show(text));
const nothing: Builtin = () => DONE;

export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ...[":", "true", "trap", "wait", "ulimit", "umask", "alias", "unalias", "shopt", "bind"].map(
    (name): [string, Builtin] => [name, nothing],
  ),
  ...["jobs", "disown", "hash", "history", "times", "enable", "complete", "caller"].map(
    (name): [string, Builtin] => [name, nothing],
  ),
  ["false", () => failed()],
  ["echo", echo],
  ["printf", printf],
  ["test", (shell, { argv }) => test(shell, argv.slice(1))],
  ["[", (shell, { argv }) => test(shell, argv.slice(1, -1))],
  ...["export", "declare", "typeset", "local", "readonly"].map((name): [string, Builtin] => [
    name,
    declare,
  ]),
  ["unset", unset],
  ["set", setOptions],
  ["shift", shift],
  ["let", evaluateLet],
  ["read", read],
  ["mapfile", readLines],
  ["readarray", readLines],
  ["eval", (shell, { argv }) => shell.runHere(joined(argv.slice(1)))],
  ["source", sourceFile],
  [".", sourceFile],
  ["cd", changeFolder],
  ["pushd", changeFolder],
  ["popd", changeFolder],
  ["pwd", printFolder],
  ["exit", (shell, call) => leave(shell, call, "exit")],
  ["return", (shell, call) => leave(shell, call, "return")],
  ["break", (_, call) => leaveLoop(call, "break")],
  ["continue", (_, call) => leaveLoop(call, "continue")],
  ["exec", replaceShell],
  ["command", runCommand],
  ["builtin", runCommand],
  ["type", (shell, { argv }) => find(shell, argv.at(-1) ?? EMPTY)],
  ["getopts", () => failed()],
]);

const joined = (argv: readonly Text[]): Text =>
  argv.flatMap((text, i) => (i > 0 ? [...textOf(" ", text[0]?.at ?? 0), ...text] : text));

function echo(shell: Shell, { argv }: Call): Status {
  let from = 1;
  let hasEnd = true;
  let isEscaped = false;
  for (; from < argv.length; from++) {
    const flags = plain(argv[from] ?? EMPTY) ?? "";
    if (!/^-[neE]+$/.test(flags)) break;
    if (flags.includes("n")) hasEnd = false;
    if (flags.includes("e")) isEscaped = true;
  }
  const text = joined(argv.slice(from));
  shell.print(isEscaped ? mapText(text, unescapeEcho) : text);
  if (hasEnd) shell.print(textOf("\n", shell.at(0)));
  return DONE;
}

function printf(shell: Shell, call: Call): Status {
  const argv = call.argv.slice(1);
  const isStored = plain(argv[0] ?? EMPTY) === "-v";
  const rest = argv.slice(isStored ? 2 : 0).filter((text, i) => i > 0 || plain(text) !== "--");
  const [format = EMPTY, ...args] = rest;
  const text = formatPrintf(shell, format, args);
  const name = plain(argv[1] ?? EMPTY);
  if (isStored && name) shell.variables.assign(name, text);
  else shell.print(text);
  return DONE;
}

function test(shell: Shell, argv: readonly Text[]): Status {
  const truth = testWords(shell, argv);
  const isTrue = isDoubt(truth) ? shell.ask(truth) : truth;
  return isTrue ? DONE : failed();
}

const ATTRIBUTES: Record<string, Partial<Variable>> = {
  a: { kind: "array" },
  A: { kind: "map" },
  i: { isInteger: true },
  x: { isExported: true },
  l: { casing: "lower" },
  u: { casing: "upper" },
};

function declare(shell: Shell, call: Call): Status {
  const [name = "", ...rest] = words(call);
  const letters = rest.filter((word) => /^[-+][A-Za-z]+$/.test(word)).join("");
  if (letters.includes("p") || letters.includes("f")) return DONE;
  const isRemoved = /\+[A-Za-z]*x/.test(letters) || (name === "export" && letters.includes("n"));
  const change: Partial<Variable> = Object.assign(
    {},
    ...[...letters].map((letter) => ATTRIBUTES[letter] ?? {}),
    name === "export" ? { isExported: true } : {},
    isRemoved ? { isExported: false } : {},
  );
  const isReference = letters.includes("n") && name !== "export";
  const isLocal =
    name !== "export" &&
    name !== "readonly" &&
    shell.variables.isInFunction &&
    !letters.includes("g");
  const prepare = (variable: string) => {
    if (isLocal) shell.variables.makeLocal(variable, { ofFunction: true });
    if (!isReference) shell.variables.declare(variable, change);
  };
  for (const each of call.declared) {
    // A map's keys are read as such only once it is one.
    if (change.kind === "map") prepare(each.name);
    if (isReference) {
      const target = each.value.type === "Word" ? plain(shell.expand(each.value)) : null;
      prepare(each.name);
      if (target && target !== each.name) shell.variables.declare(each.name, { refersTo: target });
    } else shell.assign(each, () => prepare(each.name));
  }
  for (const [i, word] of rest.entries()) {
    const [, variable, value] = /^([A-Za-z_]\w*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (variable === undefined) continue;
    const isEmptyArray = value === undefined && name !== "export";
    if (isEmptyArray || value === undefined) prepare(variable);
    else {
      const text = call.argv[i + 1] ?? EMPTY;
      prepare(variable);
      shell.variables.assign(variable, afterEquals(text));
    }
  }
  return DONE;
}

function afterEquals(text: Text): Text {
  const [first, ...others] = text;
  if (!first || "unknown" in first) return text;
  const cut = first.text.indexOf("=") + 1;
  return [...textOf(first.text.slice(cut), first.at + cut), ...others];
}

function unset(shell: Shell, call: Call): Status {
  const names = words(call).slice(1);
  if (names[0] === "-f") for (const name of names) shell.functions.delete(name);
  else
    for (const name of names) {
      const [, base = name, index] = /^(\w+)\[(.*)\]$/s.exec(name) ?? [];
      if (/^[A-Za-z_]/.test(base))
        shell.variables.unset(base, index === undefined ? undefined : shell.indexOf(base, index));
    }
  return DONE;
}

function setOptions(shell: Shell, call: Call): Status {
  const all = words(call);
  for (let i = 1; i < all.length; i++) {
    const word = all[i] ?? "";
    if (word === "--" || !/^[-+]/.test(word)) {
      shell.positional = call.argv.slice(word === "--" ? i + 1 : i);
      return DONE;
    }
    const isOn = word.startsWith("-");
    for (const letter of word.slice(1)) {
      const name = letter === "o" ? (all[++i] ?? "") : letter;
      const option = name === "errexit" ? "e" : name === "allexport" ? "a" : name;
      if (isOn) shell.options.add(option);
      else shell.options.delete(option);
    }
  }
  return DONE;
}

function shift(shell: Shell, { argv }: Call): Status {
  const count = argv[1] === undefined ? 1 : (numberOf(argv[1]) ?? 1);
  if (shell.positional === null) return { code: 1, question: "shift" };
  if (count > shell.positional.length) return failed();
  shell.positional = shell.positional.slice(count);
  return DONE;
}

function evaluateLet(shell: Shell, call: Call): Status {
  let status = DONE;
  for (const word of words(call).slice(1)) {
    const value = shell.evaluateExpression(word, 0);
    status = isInteger(value)
      ? value === 0n
        ? failed()
        : DONE
      : { code: 0, question: `let ${word}` };
  }
  return status;
}

/** Options that take the next word as their value. */
function readFlags(call: Call, withValue: string) {
  const all = words(call);
  const flags = new Map<string, string>();
  let i = 1;
  for (; i < all.length; i++) {
    const word = all[i] ?? "";
    if (word === "--" || !/^-[A-Za-z]/.test(word)) break;
    for (const [at, letter] of [...word.slice(1)].entries()) {
      if (!withValue.includes(letter)) flags.set(letter, "");
      else {
        const rest = word.slice(at + 2);
        flags.set(letter, rest === "" ? (all[++i] ?? "") : rest);
        break;
      }
    }
  }
  return { flags, names: all.slice(all[i] === "--" ? i + 1 : i) };
}

function read(shell: Shell, call: Call): Status {
  const { flags, names } = readFlags(call, "adintpuN");
  const list = flags.get("a");
  const targets = list === undefined ? (names.length > 0 ? names : ["REPLY"]) : [list];
  const { input } = shell;
  const at = shell.at(call.node.pos);
  if (input === null) {
    for (const name of targets)
      shell.variables.assign(name, unknownText({ source: `$${name}`, names: [] }, at));
    return { code: 0, question: "read" };
  }
  if (input.rest.length === 0) return failed();
  const delimiter = flags.get("d");
  const parts =
    delimiter === "" ? [input.rest] : splitText(input.rest, (delimiter ?? "\n").slice(0, 1));
  const [line = EMPTY] = parts;
  input.rest = rejoin(parts.slice(1), delimiter ?? "\n");
  const fields = splitLine(line, shell.ifs, list === undefined ? targets.length : Infinity);
  if (list === undefined)
    for (const [i, name] of targets.entries()) shell.variables.assign(name, fields[i] ?? EMPTY);
  else shell.variables.assignList(list, numbered(fields), false);
  return parts.length > 1 ? DONE : failed();
}

const rejoin = (parts: readonly Text[], by: string): Text =>
  parts.flatMap((part, i) => (i > 0 ? [...textOf(by, part[0]?.at ?? 0), ...part] : part));

const numbered = (items: readonly Text[]) =>
  new Map(items.map((item, i): [string, Text] => [String(i), item]));

/** Fields of a line, the last of which takes the rest. */
function splitLine(line: Text, ifs: string, most: number): Text[] {
  if (ifs === "") return [line];
  const isSpace = [...ifs].every((char) => " \t\n".includes(char));
  const fields = splitText(line, ifs).filter((field) => !isSpace || field.length > 0);
  if (!isSpace && fields.at(-1)?.length === 0) fields.pop();
  if (fields.length <= most) return fields;
  return [...fields.slice(0, most - 1), rejoin(fields.slice(most - 1), ifs.slice(0, 1))];
}

function readLines(shell: Shell, call: Call): Status {
  const { flags, names } = readFlags(call, "dnOsuCc");
  const name = names[0] ?? "MAPFILE";
  const { input } = shell;
  if (input === null) {
    const at = shell.at(call.node.pos);
    const unknown = unknownText({ source: `\${${name}[@]}`, names: [] }, at);
    shell.variables.assignList(name, new Map([["0", unknown]]), false);
    return { code: 0, question: "mapfile" };
  }
  const delimiter = flags.get("d")?.slice(0, 1) || "\n";
  const lines = splitText(input.rest, delimiter);
  if (lines.at(-1)?.length === 0) lines.pop();
  const isTrimmed = flags.has("t");
  const items = lines.map((line) => (isTrimmed ? line : [...line, ...textOf(delimiter, 0)]));
  shell.variables.assignList(name, numbered(items), false);
  return DONE;
}

function sourceFile(shell: Shell, call: Call): Status {
  const [, path = EMPTY] = call.argv;
  const known = plain(path);
  const content = known === null ? undefined : shell.files.get(known);
  if (content) return shell.runHere(content);
  shell.note(
    shell.at(call.node.pos),
    "source",
    `${show(path)} is another file: what it sets is not known here`,
  );
  return { code: 0, question: `source ${show(path)}` };
}

function changeFolder(shell: Shell, call: Call): Status {
  const at = shell.at(call.node.pos);
  shell.variables.assign("PWD", unknownText({ source: "$(pwd)", names: [] }, at));
  return { code: 0, question: words(call).join(" ") };
}

function printFolder(shell: Shell, { node }: Call): Status {
  shell.print(unknownText({ source: "", names: [] }, shell.at(node.pos)));
  return DONE;
}

function leave(shell: Shell, { argv }: Call, kind: "exit" | "return"): never {
  const code = argv[1] === undefined ? shell.status.code : (numberOf(argv[1]) ?? 0);
  throw new Jump(kind, code);
}

function leaveLoop({ argv }: Call, kind: "break" | "continue"): never {
  throw new Jump(kind, argv[1] === undefined ? 1 : (numberOf(argv[1]) ?? 1));
}

/** `exec program` ends the script with the program's status; `exec > file` only redirects. */
function replaceShell(shell: Shell, { argv, node }: Call): Status {
  let from = 1;
  while (/^-[cla]+$/.test(plain(argv[from] ?? EMPTY) ?? ""))
    from += plain(argv[from] ?? EMPTY)?.includes("a") ? 2 : 1;
  const rest = argv.slice(from);
  if (rest.length === 0) return DONE;
  const { code } = shell.program(rest, shell.at(node.pos));
  throw new Jump("exit", code);
}

function runCommand(shell: Shell, call: Call): Status {
  const all = words(call);
  if (/^-[pvV]*[vV]/.test(all[1] ?? "")) return find(shell, call.argv[2] ?? EMPTY);
  const rest = call.argv.slice(all[1] === "-p" || all[1] === "--" ? 2 : 1);
  const builtin = BUILTINS.get(plain(rest[0] ?? EMPTY) ?? "");
  if (rest.length === 0) return DONE;
  return builtin
    ? builtin(shell, { ...call, argv: rest })
    : shell.program(rest, shell.at(call.node.pos));
}

/** Where a program is, and whether it is there: only the machine knows. */
function find(shell: Shell, name: Text): Status {
  const known = plain(name);
  if (known !== null && (BUILTINS.has(known) || shell.functions.has(known))) {
    shell.print(textOf(`${known}\n`, 0));
    return DONE;
  }
  shell.print(unknownText({ source: "", names: [] }, name[0]?.at ?? 0));
  return { code: isLikelyFound(known ?? "") ? 0 : 1, question: `command -v ${show(name)}` };
}
