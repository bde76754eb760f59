import { parseArguments } from "#arguments.mjs";
import { buildConfig, type Config } from "#config.ts";
import { killLeftovers } from "#data-plane/end-leftovers.ts";
import { readEnv } from "#env.ts";
import { explainStartError } from "#explain-start-error.ts";
import { startControl } from "#start-control.ts";

/** The terminal, npm and our parent may each pass one Ctrl-C on: what comes this soon after the first is the same wish. */
const SAME_WISH_MS = 2_000;

const say = (text: string) => process.stderr.write(`${text}\n`);

// A closed terminal or pipe (EIO, EPIPE) takes what is printed, not control: it goes on, or down in good order.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

async function main(): Promise<number> {
  const { arguments: args, faults } = parseArguments(process.argv.slice(2));
  if (!args) {
    for (const fault of faults) say(fault);
    return 2;
  }
  try {
    const config = buildConfig(args, readEnv());
    return await startControl(config, stopSignal(config));
  } catch (error) {
    say(explainStartError(error, args));
    return 1;
  }
}

/** Fires at the first wish to stop. The second one ends every process at once, and this one with them. */
function stopSignal({ processes }: Config): AbortSignal {
  const stop = new AbortController();
  let firstMs = Number.POSITIVE_INFINITY;
  const ask = () => {
    firstMs = Math.min(firstMs, Date.now());
    stop.abort();
    if (Date.now() - firstMs < SAME_WISH_MS) return;
    void killLeftovers(processes).finally(() => process.exit(130));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, ask);
  return stop.signal;
}

process.exitCode = await main();
// A handle that somebody forgot must not keep a finished process: all that has to end was awaited.
process.exit();
