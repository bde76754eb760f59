import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Supervised, supervise } from "@liverl/durable/supervise";
import type { Logger } from "pino";
import type { RunnerConfig } from "#config.ts";
import { env } from "#env.ts";
import type { ProxyLink } from "#proxy-process/proxy-link.ts";

export interface SupervisedProxy {
  readonly process: Supervised;
  stop(): Promise<void>;
}

const FIRST_POLL_MS = 25;
const MAX_POLL_MS = 500;
const STOP_GRACE_MS = 1_500;

/**
 * Keeps `dist/proxy.mjs` running: adopts a living one, starts it again within 250 ms when it dies. `onUp` runs
 * each time that a proxy, new or adopted, serves.
 */
export async function superviseProxy(options: {
  config: RunnerConfig;
  log: Logger;
  link: ProxyLink;
  onUp: () => Promise<void>;
}): Promise<SupervisedProxy> {
  const { config, log, link, onUp } = options;
  const { dataDir, entries } = config;
  const logPath = join(dataDir, "logs", "proxy.log");
  await mkdir(dirname(logPath), { recursive: true });
  let life = 0;
  const announce = async (thisLife: number) => {
    for (
      let waitMs = FIRST_POLL_MS;
      life === thisLife;
      waitMs = Math.min(waitMs * 1.5, MAX_POLL_MS)
    ) {
      if (await link.isUp()) return await onUp();
      await sleep(waitMs);
    }
  };
  const supervised = supervise({
    spec: () => ({
      directory: join(dataDir, "processes"),
      name: "proxy",
      argv: [process.execPath, entries.proxy, "--data-dir", dataDir],
      env: { LIVERL_LOG_LEVEL: env.LIVERL_LOG_LEVEL },
      cwd: dirname(dirname(entries.proxy)),
      logPath,
      startedBy: `runner ${process.pid}`,
    }),
    onChange: ({ state, restarts, adopted }) => {
      log.info({ state, restarts, adopted }, "proxy");
      life++;
      if (state === "up") {
        announce(life).catch((error) =>
          log.error({ err: error }, "the proxy could not be told its pools"),
        );
      }
    },
    minBackoffMs: 100,
    maxBackoffMs: 2_000,
  });
  return {
    process: supervised,
    stop: async () => {
      life++;
      await supervised.stop({ graceMs: STOP_GRACE_MS });
    },
  };
}
