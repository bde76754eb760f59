import { join } from "node:path";
import { recoverRecord, stopRecorded } from "@liverl/durable/process";
import pino from "pino";
import { parseConfig, type RunnerConfig } from "#config.ts";
import { env } from "#env.ts";
import { startRunner } from "#start-runner.ts";

const log = pino({ name: "runner", level: env.LIVERL_LOG_LEVEL });
// What it and its children write is for this user alone.
process.umask(0o077);
const CLOSE_WITHIN_MS = 1_900;

/** Who waits for us is about to lose patience: the proxy, in a process group of its own, must not stay behind. */
async function endNow({ dataDir }: RunnerConfig): Promise<void> {
  const proxy = await recoverRecord(join(dataDir, "processes"), "proxy").catch(() => null);
  if (proxy) await stopRecorded(proxy, { graceMs: 0 });
  process.exit(0);
}

try {
  const config = parseConfig(process.argv.slice(2), import.meta.url);
  const starting = startRunner({ config, log });
  let isClosing = false;
  const close = (signal: NodeJS.Signals) => {
    if (isClosing) return;
    isClosing = true;
    log.info({ signal }, "runner closing");
    setTimeout(() => void endNow(config), CLOSE_WITHIN_MS).unref();
    starting
      .then((runner) => runner.close())
      .then(
        () => process.exit(0),
        (error) => {
          log.error({ err: error }, "closing failed");
          process.exit(1);
        },
      );
  };
  // From the first moment on: what was started by then is stopped, too.
  process.on("SIGTERM", close);
  process.on("SIGINT", close);
  const { port } = await starting;
  log.info({ port, dataDir: config.dataDir }, "runner ready");
} catch (error) {
  log.fatal({ err: error }, "the runner could not start");
  process.exitCode = 1;
}
