import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { AppError } from "@liverl/contract/app-error";
import { SettingsError } from "#config/settings-error.ts";
import { usage } from "#config/usage.ts";

// What it and its children write is for this user alone.
process.umask(0o077);

const OPTIONS = {
  config: { type: "string" },
  "data-dir": { type: "string" },
  worker: { type: "string" },
  /** Only tells workers of different plans apart. */
  "plan-digest": { type: "string" },
  help: { type: "boolean" },
} as const;

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingsError([`${why.split("\n")[0]} See --help.`]);
  }
}

async function main(): Promise<void> {
  const { config, "data-dir": dataDir, worker, help } = readArguments();
  if (help) {
    process.stdout.write(usage());
    return;
  }
  // Loaded only now: what is wrong with the environment is then told like any other fault.
  if (worker !== undefined) return (await import("#programs/run-worker.ts")).runWorker(worker);
  if (dataDir === undefined) {
    const { runStandAlone } = await import("#programs/run-stand-alone.ts");
    return runStandAlone(config ?? null, fileURLToPath(import.meta.url));
  }
  if (config === undefined) return (await import("#programs/run-hosted.ts")).runHosted(dataDir);
  throw new SettingsError(["--data-dir goes without --config: write dataDir in the file instead."]);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${linesOf(error).join("\n")}\n`);
  process.exit(isExpected(error) ? 2 : 1);
}

function isExpected(error: unknown): boolean {
  return error instanceof SettingsError || error instanceof AppError;
}

function linesOf(error: unknown): readonly string[] {
  if (error instanceof SettingsError) return error.lines.map((line) => `liverl-proxy: ${line}`);
  if (error instanceof AppError) return [`liverl-proxy: ${error.userMessage}`];
  return [`liverl-proxy can not start: ${error instanceof Error ? error.stack : String(error)}`];
}
