import type { Shell } from "#launch/environment/bash/shell.ts";
import {
  EMPTY,
  type Piece,
  plain,
  type Text,
  textOf,
  unknownOf,
  unknownText,
} from "#launch/environment/bash/text.ts";

const ESCAPES: Record<string, string> = {
  ...{ n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v", e: "\x1b" },
  ...{ "\\": "\\", '"': '"', "'": "'" },
};

export const unescapeEcho = (text: string): string =>
  text.replace(/\\(?:0([0-7]{0,3})|x([0-9a-fA-F]{1,2})|([\s\S]))/g, (whole, octal, hex, char) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal || "0", 8));
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return ESCAPES[char] ?? whole;
  });

/** `printf format args…`: the format is used again while arguments are left. */
export function formatPrintf(shell: Shell, format: Text, args: readonly Text[]): Text {
  const known = plain(format);
  const at = format[0]?.at ?? 0;
  if (known === null) return unknownText(unknownOf([format, ...args], "$(printf …)"), at);
  const pieces: Piece[] = [];
  let next = 0;
  do {
    shell.spend(1);
    const before = next;
    for (const token of known.match(/%[^a-zA-Z%]{0,20}[a-zA-Z%]|[^%]+|%/g) ?? []) {
      if (!token.startsWith("%") || token === "%") pieces.push(...textOf(unescapeEcho(token), at));
      else if (token === "%%") pieces.push(...textOf("%", at));
      else {
        shell.append(pieces, formatOne(token, args[next] ?? EMPTY, at));
        next += 1;
      }
    }
    if (next === before) break;
  } while (next < args.length);
  return pieces;
}

function formatOne(token: string, arg: Text, at: number): Text {
  const [, flags = "", width = "", precision, kind] =
    /^%([-+ 0#]*)(\d{0,4})(?:\.(\d{0,3}))?([a-zA-Z])$/.exec(token) ?? [];
  const value = plain(arg);
  if (kind === "s" && width === "" && precision === undefined) return arg;
  if (value === null || kind === undefined)
    return unknownText(unknownOf([arg], `$(printf ${token} …)`), at);
  const start = arg[0]?.at ?? at;
  return textOf(pad(render(kind, value, precision), flags, Number(width)), start);
}

function render(kind: string, value: string, precision: string | undefined): string {
  switch (kind) {
    case "d":
    case "i":
    case "u":
      return /^[-+]?\d+$/.test(value) ? String(BigInt(value)) : "0";
    case "x":
      return (Number(value) || 0).toString(16);
    case "X":
      return (Number(value) || 0).toString(16).toUpperCase();
    case "o":
      return (Number(value) || 0).toString(8);
    case "f":
      return (Number(value) || 0).toFixed(Number(precision ?? 6));
    case "b":
      return unescapeEcho(value);
    case "q":
      return /^[\w@%+=:,./-]+$/.test(value)
        ? value
        : value === ""
          ? "''"
          : value.replace(/[^\w@%+=:,./-]/g, (char) => `\\${char}`);
    case "c":
      return value.slice(0, 1);
    default:
      return precision === undefined ? value : value.slice(0, Number(precision));
  }
}

function pad(text: string, flags: string, width: number): string {
  if (flags.includes("-")) return text.padEnd(width);
  if (!flags.includes("0")) return text.padStart(width);
  return text.startsWith("-")
    ? `-${text.slice(1).padStart(width - 1, "0")}`
    : text.padStart(width, "0");
}
