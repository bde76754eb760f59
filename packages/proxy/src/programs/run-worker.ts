import { readFile } from "node:fs/promises";
import pino from "pino";
import { ProcessPlan } from "#config/process-plan.ts";
import { env } from "#env.ts";
import { untilStopped } from "#programs/until-stopped.ts";
import { startProxy } from "#start-proxy.ts";

/** One of several processes of a stand-alone proxy, as its parent planned it. */
export async function runWorker(planPath: string): Promise<void> {
  const plan = ProcessPlan.parse(JSON.parse(await readFile(planPath, "utf8")));
  const log = pino({ name: `proxy-worker-${plan.worker}`, level: env.LIVERL_LOG_LEVEL });
  const proxy = await startProxy({ ...plan, log });
  log.info({ agentUrl: proxy.agentUrl, adminUrl: proxy.adminUrl }, "worker is ready");
  untilStopped(log, {
    drain: () => proxy.drain(plan.drainSeconds * 1_000),
    abandon: async () => undefined,
  });
}
