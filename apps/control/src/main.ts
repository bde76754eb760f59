import { parseArguments } from "#arguments.ts";
import { buildConfig } from "#config.ts";
import { readEnv } from "#env.ts";
import { startControl } from "#start-control.ts";

const say = (text: string) => process.stderr.write(`${text}\n`);

async function main(): Promise<number> {
  const { arguments: args, faults } = parseArguments(process.argv.slice(2));
  if (!args) {
    for (const fault of faults) say(fault);
    return 2;
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => stop.abort());
  try {
    return await startControl(buildConfig(args, readEnv()), stop.signal);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

process.exitCode = await main();
// A handle that somebody forgot must not keep a finished process: all that has to end was awaited.
process.exit();
