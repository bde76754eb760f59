import { plain, show, sliceText, type Text } from "#launch/environment/bash/text.ts";

/** `key=value` of a Hydra command line, `+key`, `++key` and `~key` among them. */
export interface HydraArgument {
  /** With its prefix, without a package: `+a.b`. */
  name: string;
  value: Text;
  /** Where it stands in the script. */
  at: number;
}

export interface HydraArguments {
  overrides: HydraArgument[];
  configName: string | null;
  configPath: string | null;
  /** Options and words that set nothing. */
  others: { text: string; at: number }[];
}

const OVERRIDE = /^([+~]{0,2}[A-Za-z_$][\w./@:$-]*)=/;
const OPTION =
  /^(?:--?)(config-name|cn|config-path|cp|config-dir|cd|cfg|c|package|p|info|i)(?:=([\s\S]*))?$/;

/** The arguments of a Hydra program. Pure. */
export function readHydraArguments(argv: readonly Text[]): HydraArguments {
  const found: HydraArguments = { overrides: [], configName: null, configPath: null, others: [] };
  for (let i = 0; i < argv.length; i++) {
    const text = argv[i] ?? [];
    const word = show(text);
    const at = text[0]?.at ?? 0;
    const override = readHydraArgument(text);
    const [, option, joined] = OPTION.exec(word) ?? [];
    if (override) found.overrides.push(override);
    else if (option !== undefined) {
      const isNext = joined === undefined;
      const value = isNext ? show(argv[i + 1] ?? []) : joined;
      if (isNext) i += 1;
      if (option === "config-name" || option === "cn") found.configName = value;
      else if (/^(?:config-path|cp|config-dir|cd)$/.test(option)) found.configPath = value;
      else found.others.push({ text: `${word}${isNext ? ` ${value}` : ""}`, at });
    } else if (word !== "") found.others.push({ text: word, at });
  }
  return found;
}

export function readHydraArgument(text: Text): HydraArgument | null {
  const [first] = text;
  if (!first || "unknown" in first) return null;
  // An override's key is written out: only its value may be unknown.
  const known = plain(text) ?? keyPart(text);
  const [whole, name] = OVERRIDE.exec(known) ?? [];
  if (whole !== undefined && name !== undefined)
    return { name, value: sliceText(text, whole.length), at: first.at };
  return /^~[A-Za-z_][\w./@-]*$/.test(known) ? { name: known, value: [], at: first.at } : null;
}

function keyPart(text: Text): string {
  let known = "";
  for (const piece of text) {
    if ("unknown" in piece) break;
    known += piece.text;
  }
  return known;
}
