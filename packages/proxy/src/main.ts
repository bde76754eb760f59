import { parseArgs } from "node:util";
import pino from "pino";
import { env } from "#env.ts";
import { startProxy } from "#start-proxy.ts";

const EXIT_WITHIN_MS = 1_500;

const log = pino({ name: "proxy", level: env.LIVERL_LOG_LEVEL });
const { values } = parseArgs({ options: { "data-dir": { type: "string" } } });
const dataDir = values["data-dir"];
if (dataDir === undefined) {
  log.fatal("proxy needs --data-dir D");
  process.exit(2);
}

try {
  const proxy = await startProxy({ dataDir, log });
  log.info({ agentUrl: proxy.agentUrl, adminUrl: proxy.adminUrl }, "proxy is ready");
  const stop = () => {
    setTimeout(() => process.exit(0), EXIT_WITHIN_MS).unref();
    proxy.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "proxy did not stop cleanly");
        process.exit(1);
      },
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
} catch (error) {
  log.fatal({ err: error }, "proxy can not start");
  process.exit(1);
}
