const LONGEST = 300;

/** Length of a prefix that Ray, `(TaskRunner pid=12, ip=…) `, or torch, `[rank0]: `, puts before a line; 0 where there is none. */
function lengthOfPrefix(line: string): number {
  const rank = /^\[rank\d{1,6}\]:\s?/.exec(line);
  if (rank) return rank[0].length;
  if (!line.startsWith("(")) return 0;
  let depth = 0;
  for (let at = 0; at < Math.min(line.length, LONGEST); at++) {
    const character = line[at];
    if (character === "(") depth++;
    if (character === ")" && --depth === 0)
      return /\bpid=\d/.test(line.slice(0, at)) ? at + (/^\s/.test(line.slice(at + 1)) ? 2 : 1) : 0;
  }
  return 0;
}

/** The line without the prefixes that name the process it came from. */
export function withoutProcessPrefix(line: string): string {
  let rest = line;
  for (let length = lengthOfPrefix(rest); length > 0; length = lengthOfPrefix(rest))
    rest = rest.slice(length);
  return rest;
}
