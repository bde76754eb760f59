import { parseArgs } from "node:util";

export interface Arguments {
  port: number;
  host: string;
  dataDir: string;
  seed: number;
  /** False with `--no-run`: no quickstart run is launched by itself. */
  run: boolean;
  exitAfterRun: boolean;
}

const LOOPBACK = ["127.0.0.1", "localhost", "::1"];
export const USAGE =
  "npm start -- [--port 4400] [--host 127.0.0.1] [--data-dir .liverl] [--seed 1] [--no-run] [--exit-after-run] [--json]";

/** Parses the command line; `faults` has one clear line for each bad value. */
export function parseArguments(argv: readonly string[]): {
  arguments: Arguments | null;
  faults: string[];
} {
  let values: Record<string, string | boolean | undefined>;
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
    return {
      arguments: null,
      faults: [error instanceof Error ? error.message : String(error), USAGE],
    };
  }
  const faults: string[] = [];
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
  if (values["no-run"] === true && values["exit-after-run"] === true) {
    faults.push(
      "--exit-after-run waits for a run, and --no-run starts none: give only one of them",
    );
  }
  if (faults.length > 0 || port === null || seed === null) return { arguments: null, faults };
  return {
    arguments: {
      port,
      host,
      dataDir,
      seed,
      run: values["no-run"] !== true,
      exitAfterRun: values["exit-after-run"] === true,
    },
    faults,
  };
}

function integer(text: string | boolean | undefined, min: number, max: number): number | null {
  if (typeof text !== "string" || !/^\d+$/.test(text)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}
