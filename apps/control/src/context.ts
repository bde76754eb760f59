import type { ClusterView, Known, SandboxesView } from "@liverl/contract/cluster";
import type { PrismaClient } from "@liverl/prisma/client";
import type { Pool } from "pg";
import type { Logger } from "pino";
import type { Config } from "#config.ts";
import type { ProcessView } from "#data-plane/process-view.ts";
import type { RunnerClient } from "#data-plane/runner-client.ts";
import type { Live } from "#live/live.ts";
import type { Ingest } from "#metrics/ingest.ts";

/** All that a verb may reach. Built once by main (or by a test) and passed first. */
export interface Context {
  config: Config;
  log: Logger;
  db: PrismaClient;
  /** For SQL that the client has no words for. */
  pool: Pool;
  live: Live;
  ingest: Ingest;
  runner: RunnerClient;
  /** Machines, engines and Ray as they are now. */
  cluster: { view(ctx: Pick<Context, "db" | "config">): Promise<ClusterView> };
  /** Trials in sandboxes as they are now. */
  sandboxes: { view(ctx: Pick<Context, "db" | "runner">): Promise<Known<SandboxesView>> };
  /** Supervised processes of a run, for the UI. */
  processesOf: (runId: string) => Promise<ProcessView[]>;
  /** Asks the drivers to look at the runs now instead of at the next tick. */
  wakeDrivers: () => void;
}
