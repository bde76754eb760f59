// The command line of the programs here: `--help`, and one clear line for what they do not know. Node's own modules only.
import { parseArgs } from "node:util";

/** Says why, and ends with the exit code of a wrong command line. */
export function stop(why) {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

/** `{values, positionals}`. Ends with `usage` for `--help`, and with one line for what is not among `options` (as `parseArgs` takes them). */
export function readOptions(usage, options) {
  const help = { type: "boolean", short: "h" };
  const parsed = parse({ ...options, help });
  if (!parsed.values.help) return parsed;
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}

function parse(options) {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    // Node goes on with a hint on quoting, which would hide what is wrong.
    const [fault] = error.message.split(". ");
    return stop(`${fault.replace(/\.$/, "")}: --help tells the options.`);
  }
}

/** A number of an option. Ends where it is none, or below `least`. */
export function readNumber(values, name, { least = 1, isWhole = true } = {}) {
  const number = Number(values[name]);
  const isFine = isWhole ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (isFine && values[name].trim() !== "" && number >= least) return number;
  return stop(
    `--${name} ${values[name]}: give a ${isWhole ? "whole " : ""}number from ${least} on.`,
  );
}
