// JavaScript, and of Node's own modules alone: `npm start` reads its command line before anything is installed or built.
import { parseArgs } from "node:util";

/** @typedef {import("#config.ts").Arguments} Arguments */

const LOOPBACK = ["127.0.0.1", "localhost", "::1"];
export const USAGE = `npm start -- [--port 4400] [--host 127.0.0.1] [--data-dir .liverl] [--seed 1] [--no-run] [--exit-after-run] [--json]
starts LiveRL, prints a link to sign in, and runs until Ctrl-C.
  --port            of the pages; 0 takes a free one
  --host            127.0.0.1, localhost or ::1
  --data-dir        folder of all that is kept
  --seed            of the first run
  --no-run          starts no run by itself
  --exit-after-run  ends with the first run; the last line is one JSON object`;

/**
 * Parses the command line; `faults` has one clear line for each bad value.
 * @param {readonly string[]} argv
 * @returns {{arguments: Arguments | null, faults: string[]}}
 */
export function parseArguments(argv) {
  /** @type {Record<string, string | boolean | undefined>} */
  let values;
  try {
    values = parseArgs({
      args: [...argv],
      options: {
        port: { type: "string", default: "4400" },
        host: { type: "string", default: "127.0.0.1" },
        "data-dir": { type: "string", default: ".liverl" },
        seed: { type: "string", default: "1" },
        "no-run": { type: "boolean", default: false },
        "exit-after-run": { type: "boolean", default: false },
        // With --exit-after-run the last line of stdout is JSON anyway; accepted so that every tool takes it.
        json: { type: "boolean", default: false },
      },
      strict: true,
      allowPositionals: false,
    }).values;
  } catch (error) {
    // Node goes on with a hint on quoting, which would hide what is wrong.
    const [fault] = String(error instanceof Error ? error.message : error).split(". ");
    return { arguments: null, faults: [`${fault}: npm start -- --help tells the options`] };
  }
  return judge(values);
}

/**
 * @param {Record<string, string | boolean | undefined>} values
 * @returns {{arguments: Arguments | null, faults: string[]}}
 */
function judge(values) {
  /** @type {string[]} */
  const faults = [];
  const port = integer(values.port, 0, 65_535);
  if (port === null) faults.push(`--port ${values.port}: give a whole number from 0 to 65535`);
  const seed = integer(values.seed, 0, 2 ** 31 - 1);
  if (seed === null) faults.push(`--seed ${values.seed}: give a whole number from 0 to 2147483647`);
  const host = String(values.host);
  if (!LOOPBACK.includes(host)) {
    faults.push(
      `--host ${host}: LiveRL answers on this machine only (127.0.0.1, localhost or ::1); reach it from elsewhere through an SSH tunnel`,
    );
  }
  const dataDir = String(values["data-dir"]);
  if (dataDir === "") faults.push("--data-dir: give a folder");
  const run = values["no-run"] !== true;
  const exitAfterRun = values["exit-after-run"] === true;
  if (!run && exitAfterRun) {
    faults.push(
      "--exit-after-run waits for a run, and --no-run starts none: give only one of them",
    );
  }
  if (faults.length > 0 || port === null || seed === null) return { arguments: null, faults };
  return { arguments: { port, host, dataDir, seed, run, exitAfterRun }, faults };
}

/**
 * @param {string | boolean | undefined} text
 * @param {number} min
 * @param {number} max
 * @returns {number | null}
 */
function integer(text, min, max) {
  if (typeof text !== "string" || !/^\d+$/.test(text)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}
