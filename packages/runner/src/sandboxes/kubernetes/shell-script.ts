/**
 * What a container's shell is told on its command line; the script itself comes as the first line of stdin, because a
 * command line is part of an address, which logs keep and servers cut. What follows on stdin is the script's own.
 */
export const bootShell = (busybox: string): string[] => [
  busybox,
  "sh",
  "-c",
  `IFS= read -r script || exit 98; eval "$(printf %s "$script" | ${busybox} base64 -d)"`,
];

export const asFirstLine = (script: string) => `${Buffer.from(script).toString("base64")}\n`;

/** A word of a shell's line, whatever is in it. */
export const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
