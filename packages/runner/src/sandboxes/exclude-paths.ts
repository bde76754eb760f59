import { trimEnd } from "@liverl/contract/trim-end";

/** Whether a path, by its parts below the folder, is left out. */
export type Excludes = (parts: readonly string[]) => boolean;

/**
 * GNU tar's `--exclude`, with which Harbor leaves files out of artifacts: a pattern may begin at any part of a path, `*` and `?`
 * match slashes too, and what is below a folder that is left out is left out. Pure.
 */
export function excludePaths(patterns: readonly string[]): Excludes {
  const matchers = patterns.map((pattern) => matcherOf(trimEnd(pattern, "/")));
  return (parts) => {
    for (let end = 1; end <= parts.length; end++) {
      const whole = parts.slice(0, end);
      const names = [`./${whole.join("/")}`, ...whole.map((_, at) => whole.slice(at).join("/"))];
      if (names.some((name) => matchers.some((matcher) => matcher.test(name)))) return true;
    }
    return false;
  };
}

/** One character of a pattern: `*`, or what a single character has to be. */
type Part = "*" | ((character: string) => boolean);

/** A pattern of fnmatch(3) without FNM_PATHNAME. */
function matcherOf(pattern: string): { test(path: string): boolean } {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const [set, negated, members] = /^\[([!^]?)(\]?[^\]]*)\]/.exec(pattern.slice(at)) ?? [];
    if (set !== undefined && members) {
      const isMember = setOf(members);
      parts.push((one) => isMember(one) !== Boolean(negated));
      at += set.length - 1;
    } else if (pattern[at] === "*") parts.push("*");
    else if (pattern[at] === "?") parts.push(() => true);
    else {
      if (pattern[at] === "\\" && at + 1 < pattern.length) at++;
      const wanted = pattern.charAt(at);
      parts.push((one) => one === wanted);
    }
  }
  return { test: (path) => matches(parts, path) };
}

/** `a-z_`: a range that runs backwards holds nothing. */
function setOf(members: string): (character: string) => boolean {
  const one = /(.)-(.)|(.)/gsu;
  const ranges = [...members.matchAll(one)].map(([, from, to, only = ""]) => [
    from ?? only,
    to ?? only,
  ]);
  return (character) => ranges.some(([from = "", to = ""]) => from <= character && character <= to);
}

/** A `*` takes as little as it can; where what follows does not fit, only the last `*` takes one more. So it costs length × length at most. */
function matches(parts: readonly Part[], path: string): boolean {
  const characters = [...path];
  let part = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < characters.length) {
    const wanted = parts[part];
    if (wanted === "*") {
      star = part++;
      resume = at;
    } else if (wanted?.(characters[at] ?? "")) {
      part++;
      at++;
    } else {
      if (star < 0) return false;
      part = star + 1;
      at = ++resume;
    }
  }
  return parts.slice(part).every((rest) => rest === "*");
}
