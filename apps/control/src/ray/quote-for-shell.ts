import { AppError } from "@liverl/contract/app-error";

/** One argument of Linux's execve, `sh -c` among them, holds 128 KiB with its NUL (MAX_ARG_STRLEN). */
const LONGEST_BYTES = 128 * 1024 - 1;
const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+$/;

/**
 * argv as one line that a POSIX shell takes for just these words (POSIX 2.2.2: nothing is special between single quotes
 * but the quote itself). BAD_REQUEST for what no command line can hold.
 */
export function quoteForShell(argv: readonly string[]): string {
  const line = argv.map((word, i) => quoteWord(word, i === 0)).join(" ");
  if (Buffer.byteLength(line) > LONGEST_BYTES)
    throw new AppError("BAD_REQUEST", {
      userMessage: `The command line would be ${Buffer.byteLength(line)} bytes; ${LONGEST_BYTES} is the most. Give fewer or shorter overrides and data files.`,
    });
  return line;
}

/** The first word is always quoted: `if` and `A=b` mean something else there. */
function quoteWord(word: string, isFirst: boolean): string {
  if (word.includes("\0"))
    throw new AppError("BAD_REQUEST", {
      userMessage: `A value of the command line holds a NUL character: ${JSON.stringify(word.slice(0, 100))}.`,
    });
  return PLAIN.test(word) && !isFirst ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
