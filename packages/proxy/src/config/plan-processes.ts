import type { EnginePool } from "@liverl/contract/proxy-admin";
import type { z } from "zod";
import { advertisedHost } from "#config/advertised-host.ts";
import type { ProcessPlan } from "#config/process-plan.ts";
import type { ProxySettings } from "#config/proxy-settings.ts";

/** What settings mean for a process that serves sessions, and the pools of all. */
export function planProcesses(settings: ProxySettings): {
  plan: z.input<typeof ProcessPlan>;
  pools: Record<string, EnginePool>;
} {
  const { dataDir, host, port, adminHost, adminPort, metricsOpen, drainSeconds } = settings;
  const { maxBodyMb, maxSessions, maxMemoryMb, minFreeDiskMb, maxCalls, sessionHours } = settings;
  return {
    plan: {
      ...{ dataDir, host, port, adminHost, adminPort, metricsOpen, drainSeconds },
      advertise: advertisedHost(settings),
      limits: { maxBodyMb, maxSessions, maxMemoryMb, minFreeDiskMb, maxCalls, sessionHours },
    },
    pools: Object.fromEntries(settings.pools.map(({ id, ...pool }) => [id, pool])),
  };
}
