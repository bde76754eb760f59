/** A part of a shell pattern: a literal character, `?`, `*`, a set `[…]`, or alternatives of an extended pattern. */
type Part =
  | { kind: "char"; char: string }
  | { kind: "any" }
  | { kind: "star" }
  | { kind: "set"; has: (char: string) => boolean }
  | { kind: "group"; operator: string; options: Part[][] };

/** Comparisons that one match may take: patterns of a hostile script must end somewhere. */
const MAX_COMPARISONS = 200_000;
const CLASSES: Record<string, RegExp> = {
  alpha: /[A-Za-z]/,
  digit: /[0-9]/,
  alnum: /[A-Za-z0-9]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  space: /\s/,
  punct: /[!-/:-@[-`{-~]/,
  word: /\w/,
  xdigit: /[0-9A-Fa-f]/,
};

export interface Pattern {
  parts: readonly Part[];
}

/** A character of a pattern; a quoted one stands for itself. */
export interface PatternChar {
  char: string;
  isQuoted: boolean;
}

export function compilePattern(chars: readonly PatternChar[]): Pattern {
  return { parts: compile(chars, 0, chars.length, 0) };
}

function compile(chars: readonly PatternChar[], from: number, to: number, depth: number): Part[] {
  const parts: Part[] = [];
  for (let at = from; at < to; at++) {
    const { char = "", isQuoted = true } = chars[at] ?? {};
    const next = chars[at + 1];
    if (isQuoted) parts.push({ kind: "char", char });
    else if ("?*+@!".includes(char) && next?.char === "(" && !next.isQuoted && depth < 8) {
      const end = closingParen(chars, at + 1, to);
      if (end === -1) parts.push({ kind: "char", char });
      else {
        const options = alternatives(chars, at + 2, end).map(([a, b]) =>
          compile(chars, a, b, depth + 1),
        );
        parts.push({ kind: "group", operator: char, options });
        at = end;
      }
    } else if (char === "\\" && at + 1 < to) {
      parts.push({ kind: "char", char: next?.char ?? "" });
      at += 1;
    } else if (char === "?") parts.push({ kind: "any" });
    else if (char === "*") parts.push({ kind: "star" });
    else {
      const set = char === "[" ? readSet(chars, at, to) : null;
      parts.push(set?.part ?? { kind: "char", char });
      if (set) at = set.end;
    }
  }
  return parts;
}

function closingParen(chars: readonly PatternChar[], open: number, to: number): number {
  let depth = 0;
  for (let at = open; at < to; at++) {
    if (chars[at]?.isQuoted) continue;
    if (chars[at]?.char === "(") depth += 1;
    if (chars[at]?.char === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function alternatives(chars: readonly PatternChar[], from: number, to: number) {
  const options: [from: number, to: number][] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < to; at++) {
    if (chars[at]?.isQuoted) continue;
    if (chars[at]?.char === "(") depth += 1;
    if (chars[at]?.char === ")") depth -= 1;
    if (chars[at]?.char === "|" && depth === 0) {
      options.push([start, at]);
      start = at + 1;
    }
  }
  options.push([start, to]);
  return options;
}

function readSet(
  chars: readonly PatternChar[],
  open: number,
  to: number,
): { part: Part; end: number } | null {
  let at = open + 1;
  const isNegated = "!^".includes(chars[at]?.char ?? " ") && !chars[at]?.isQuoted;
  if (isNegated) at += 1;
  const tests: ((char: string) => boolean)[] = [];
  for (let isFirst = true; at < to; isFirst = false, at++) {
    const { char = "", isQuoted = false } = chars[at] ?? {};
    if (char === "]" && !isQuoted && !isFirst) {
      const has = (one: string) => tests.some((test) => test(one)) !== isNegated;
      return { part: { kind: "set", has }, end: at };
    }
    const named = /^\[:(\w{1,10}):\]/.exec(
      chars
        .slice(at, at + 15)
        .map((each) => each.char)
        .join(""),
    );
    const upTo = chars[at + 2];
    if (named) {
      const set = CLASSES[named[1] ?? ""];
      tests.push((one) => set?.test(one) ?? false);
      at += named[0].length - 1;
    } else if (chars[at + 1]?.char === "-" && upTo && (upTo.char !== "]" || upTo.isQuoted)) {
      tests.push((one) => one >= char && one <= upTo.char);
      at += 2;
    } else tests.push((one) => one === char);
  }
  return null;
}

/**
 * A POSIX regular expression as a pattern that a part of a text may match; null where it has more than characters, sets,
 * groups, `|`, `*`, `+`, `?`, `^` and `$`. It is followed without backtracking, whatever a script writes.
 */
export function compileRegex(chars: readonly PatternChar[]): Pattern | null {
  const reader: RegexReader = { chars, at: 0, depth: 0 };
  const options = readAlternatives(reader);
  if (options === null || reader.at < chars.length) return null;
  const anchored = options.map(({ parts, isStart, isEnd }): Part[] => [
    ...(isStart ? [] : [{ kind: "star" as const }]),
    ...parts,
    ...(isEnd ? [] : [{ kind: "star" as const }]),
  ]);
  return { parts: [{ kind: "group", operator: "@", options: anchored }] };
}

interface RegexReader {
  chars: readonly PatternChar[];
  at: number;
  depth: number;
}
interface Branch {
  parts: Part[];
  isStart: boolean;
  isEnd: boolean;
}

function readAlternatives(reader: RegexReader): Branch[] | null {
  const branches: Branch[] = [];
  do {
    const branch = readBranch(reader);
    if (branch === null) return null;
    branches.push(branch);
  } while (takeChar(reader, "|"));
  return branches;
}

function takeChar(reader: RegexReader, char: string): boolean {
  const next = reader.chars[reader.at];
  if (next?.char !== char || next.isQuoted) return false;
  reader.at += 1;
  return true;
}

function readBranch(reader: RegexReader): Branch | null {
  const isStart = takeChar(reader, "^");
  if (isStart && reader.depth > 0) return null;
  const parts: Part[] = [];
  for (;;) {
    const next = reader.chars[reader.at];
    if (next === undefined || (!next.isQuoted && "|)".includes(next.char)))
      return { parts, isStart, isEnd: false };
    if (takeChar(reader, "$")) {
      const after = reader.chars[reader.at];
      const isEnd = reader.depth === 0 && (after === undefined || after.char === "|");
      return isEnd ? { parts, isStart, isEnd } : null;
    }
    const atom = readAtom(reader);
    if (atom === null) return null;
    parts.push(withQuantifier(reader, atom));
  }
}

function withQuantifier(reader: RegexReader, atom: Part): Part {
  for (const operator of "*+?")
    if (takeChar(reader, operator)) return { kind: "group", operator, options: [[atom]] };
  return atom;
}

function readAtom(reader: RegexReader): Part | null {
  const { chars } = reader;
  const { char = "", isQuoted = true } = chars[reader.at] ?? {};
  if (!isQuoted && "*+?{}".includes(char)) return null;
  if (!isQuoted && char === "[") {
    const set = readSet(chars, reader.at, chars.length);
    reader.at = (set?.end ?? 0) + 1;
    return set?.part ?? null;
  }
  reader.at += 1;
  if (isQuoted) return { kind: "char", char };
  if (char === ".") return { kind: "any" };
  if (char === "\\") {
    const escaped = chars[reader.at]?.char ?? "";
    reader.at += 1;
    return /\w/.test(escaped) ? null : { kind: "char", char: escaped };
  }
  if (char !== "(") return { kind: "char", char };
  reader.depth += 1;
  const options = reader.depth > 8 ? null : readAlternatives(reader);
  reader.depth -= 1;
  if (options === null || !takeChar(reader, ")")) return null;
  return { kind: "group", operator: "@", options: options.map(({ parts }) => parts) };
}

/** Null: the comparison would take too long. */
export function matches(pattern: Pattern, text: string): boolean | null {
  const ends = endsOf(pattern.parts, text, 0, { left: MAX_COMPARISONS });
  return ends === null ? null : ends.has(text.length);
}

/** Ends of all prefixes of `text` from `from` that the pattern matches; null: the comparison would take too long. */
export function prefixEnds(pattern: Pattern, text: string, from = 0): Set<number> | null {
  return endsOf(pattern.parts, text, from, { left: MAX_COMPARISONS });
}

interface Work {
  left: number;
}

/** A set of positions goes through the parts one by one: no backtracking. */
function endsOf(parts: readonly Part[], text: string, from: number, work: Work) {
  let positions = new Set([from]);
  for (const part of parts) {
    const next = new Set<number>();
    for (const at of positions) if (!step(part, text, at, next, work)) return null;
    positions = next;
    if (positions.size === 0) break;
  }
  return positions;
}

function step(part: Part, text: string, at: number, next: Set<number>, work: Work): boolean {
  work.left -= 1;
  if (work.left < 0) return false;
  const char = text[at];
  switch (part.kind) {
    case "char":
      if (char === part.char) next.add(at + 1);
      return true;
    case "any":
      if (char !== undefined) next.add(at + 1);
      return true;
    case "set":
      if (char !== undefined && part.has(char)) next.add(at + 1);
      return true;
    case "star":
      work.left -= text.length - at;
      for (let end = at; end <= text.length; end++) next.add(end);
      return true;
    case "group":
      return stepGroup(part, text, at, next, work);
  }
}

function stepGroup(
  { operator, options }: Extract<Part, { kind: "group" }>,
  text: string,
  at: number,
  next: Set<number>,
  work: Work,
): boolean {
  const once = new Set<number>();
  for (const option of options) {
    const ends = endsOf(option, text, at, work);
    if (ends === null) return false;
    for (const end of ends) once.add(end);
  }
  if (operator === "!") {
    work.left -= text.length - at;
    for (let end = at; end <= text.length; end++) if (!once.has(end)) next.add(end);
    return true;
  }
  if (operator === "?" || operator === "*") next.add(at);
  const reached = new Set(once);
  if (operator === "*" || operator === "+")
    for (const end of reached)
      if (end > at)
        for (const option of options) {
          const ends = endsOf(option, text, end, work);
          if (ends === null) return false;
          for (const further of ends) reached.add(further);
        }
  for (const end of reached) next.add(end);
  return true;
}
