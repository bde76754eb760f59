/** Whether a path, by its parts below the folder, is left out. */
export type Excludes = (parts: readonly string[]) => boolean;

/**
 * GNU tar's `--exclude`, with which Harbor leaves files out of artifacts: a pattern may begin at any part of a path, `*` and `?`
 * match slashes too, and what is below a folder that is left out is left out. Pure.
 */
export function excludePaths(patterns: readonly string[]): Excludes {
  const matchers = patterns.map((pattern) => matcherOf(pattern.replace(/\/+$/, "")));
  return (parts) => {
    for (let end = 1; end <= parts.length; end++) {
      const whole = parts.slice(0, end);
      const names = [`./${whole.join("/")}`, ...whole.map((_, at) => whole.slice(at).join("/"))];
      if (names.some((name) => matchers.some((matcher) => matcher.test(name)))) return true;
    }
    return false;
  };
}

/** A pattern of fnmatch(3) without FNM_PATHNAME. */
function matcherOf(pattern: string): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    const [set, negated, members] = /^\[([!^]?)(\]?[^\]]*)\]/.exec(pattern.slice(at)) ?? [];
    if (set !== undefined && members) {
      source += `[${negated ? "^" : ""}${members.replace(/[\\\]^[]/g, "\\$&")}]`;
      at += set.length - 1;
    } else if (character === "*") source += ".*";
    else if (character === "?") source += ".";
    else {
      if (character === "\\" && at + 1 < pattern.length) at++;
      source += pattern.charAt(at).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    }
  }
  try {
    return new RegExp(`^${source}$`, "su");
  } catch {
    // A range that runs backwards, which matches nothing in fnmatch, too.
    return /(?!)/;
  }
}
