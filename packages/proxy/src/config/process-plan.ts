import { join } from "node:path";
import { EnginePool } from "@liverl/contract/proxy-admin";
import { z } from "zod";

/** How much one process takes on. The values are those of a proxy that a runner hosts. */
export const ProxyLimits = z.object({
  maxBodyMb: z.number().positive().default(32),
  /** Open sessions. */
  maxSessions: z.number().int().positive().default(100_000),
  /** Resident MB above which no session is opened; null for no limit. */
  maxMemoryMb: z.number().positive().nullable().default(null),
  /** Free MB that calls which have begun may still need; below it none begins. */
  minFreeDiskMb: z.number().nonnegative().default(64),
  /** Of sessions that are opened without saying so. */
  maxCalls: z.number().int().positive().default(10_000),
  sessionHours: z.number().positive().default(24),
});
export type ProxyLimits = z.infer<typeof ProxyLimits>;

/** What one process that serves sessions is to be. The parent of several writes one for each. */
export const ProcessPlan = z
  .object({
    dataDir: z.string(),
    /** Folder of the journal and of the kept ports; `<dataDir>/proxy` unless it is a further worker's. */
    directory: z.string().optional(),
    /** Null for the only process; else it labels the metrics. */
    worker: z.number().int().nonnegative().nullable().default(null),
    host: z.string().default("127.0.0.1"),
    /** 0 for a free one, kept over restarts. */
    port: z.number().int().default(0),
    /** Host, or whole URL, that agents reach. */
    advertise: z.string().default("127.0.0.1"),
    adminHost: z.string().default("127.0.0.1"),
    adminPort: z.number().int().default(0),
    metricsOpen: z.boolean().default(false),
    limits: ProxyLimits.prefault({}),
    /** Registered before the first session; by id. */
    pools: z.record(z.string(), EnginePool).default({}),
    drainSeconds: z.number().nonnegative().default(0),
  })
  .transform((plan) => ({
    ...plan,
    directory: plan.directory ?? join(plan.dataDir, "proxy"),
    /** Tokens that all processes of one proxy share. */
    sharedDirectory: join(plan.dataDir, "proxy"),
  }));
export type ProcessPlan = z.infer<typeof ProcessPlan>;
