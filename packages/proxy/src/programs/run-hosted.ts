import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { env } from "#env.ts";
import { untilStopped } from "#programs/until-stopped.ts";
import { startProxy } from "#start-proxy.ts";
import { claimDirectory } from "#workers/claim-directory.ts";
import { absorbRetired, reapWorkers } from "#workers/worker-folders.ts";

const EXIT_WITHIN_MS = 1_500;

/** The proxy as a runner hosts it: on loopback, one process, gone within a breath when it is told to. */
export async function runHosted(dataDir: string): Promise<void> {
  const log = pino({ name: "proxy", level: env.LIVERL_LOG_LEVEL });
  await claimDirectory(dataDir);
  await reapWorkers(dataDir, { graceMs: EXIT_WITHIN_MS });
  await absorbRetired(dataDir);
  const proxy = await startProxy({ dataDir, log });
  log.info({ agentUrl: proxy.agentUrl, adminUrl: proxy.adminUrl }, "proxy is ready");
  untilStopped(log, {
    drain: () => Promise.race([proxy.stop(), sleep(EXIT_WITHIN_MS)]),
    abandon: async () => undefined,
  });
}
