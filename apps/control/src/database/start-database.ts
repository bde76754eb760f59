import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { identityOf } from "@liverl/durable/process-identity";
import { type Supervised, supervise } from "@liverl/durable/supervise";
import pg from "pg";
import type { Config } from "#config.ts";
import { isDatabaseAway } from "#database/is-database-away.ts";
import { postgresBinaries } from "#database/postgres-binaries.ts";
import { findPlace, recordPlace } from "#database/postgres-place.ts";
import { postgresUser } from "#database/postgres-user.ts";
import { clearStaleLocks, closeCluster, prepareCluster } from "#database/prepare-cluster.ts";
import { childEnv } from "#env.ts";

export interface Database {
  url: string;
  /** Null for a server that is not ours. */
  supervised: Supervised | null;
  /** Ends the server after its clients are gone; does nothing to a server that is not ours. */
  stop(): Promise<void>;
}

/**
 * Small: the database serves one person, and its memory counts. Every commit flushes its own log, so the writers that work
 * ahead of it can sleep: they would wake five times a second each.
 */
const SETTINGS = {
  listen_addresses: "",
  max_connections: "32",
  shared_buffers: "32MB",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "256MB",
  jit: "off",
  autovacuum_max_workers: "1",
  max_worker_processes: "2",
  max_parallel_workers: "0",
  max_logical_replication_workers: "0",
  wal_writer_delay: "10s",
  bgwriter_delay: "10s",
  checkpoint_completion_target: "0.1",
  log_min_messages: "warning",
} as const;
/** Ours may have a crash to recover from; somebody else's is either there or restarting. */
const READY_TIMEOUT_MS = { ours: 60_000, given: 15_000 };

/** Adopts the running PostgreSQL of the data directory or starts it, and keeps it running. Resolves when it answers. */
export async function startDatabase(
  config: Pick<Config, "dataDir" | "processes" | "databaseUrl">,
  extraSettings: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Database> {
  if (config.databaseUrl !== null) {
    await waitUntilReady(config.databaseUrl, null, signal);
    return { url: config.databaseUrl, supervised: null, stop: async () => {} };
  }
  const user = await postgresUser();
  const place = await findPlace(config.dataDir, user);
  const binaries = await postgresBinaries(user);
  await prepareCluster(binaries, place, user, signal);
  await closeCluster(place, user);
  await recordPlace(config.dataDir, place);
  await mkdir(join(config.dataDir, "logs"), { recursive: true });
  const settings = Object.entries({
    ...SETTINGS,
    ...extraSettings,
    unix_socket_directories: place.socket,
  });
  const supervised = supervise({
    spec: async () => {
      await clearStaleLocks(place);
      return {
        directory: config.processes,
        name: "postgres",
        argv: [
          join(binaries, "bin/postgres"),
          "-D",
          place.data,
          ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]),
        ],
        env: { ...childEnv(), LC_ALL: "C" },
        cwd: "/",
        logPath: join(config.dataDir, "logs/postgres.log"),
        startedBy: `control ${process.pid}`,
        ...(user ?? {}),
      };
    },
    maxBackoffMs: 2_000,
  });
  const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(place.socket)}`;
  try {
    await waitUntilReady(url, supervised, signal);
  } catch (error) {
    await stopFast(supervised);
    throw error;
  }
  return { url, supervised, stop: () => stopFast(supervised) };
}

/** SIGTERM would let PostgreSQL wait for its clients; SIGINT ends their sessions and writes everything out. */
async function stopFast(supervised: Supervised): Promise<void> {
  supervised.release();
  const { record } = supervised;
  if (record?.pid != null) {
    const identity = await identityOf(record.pid);
    if (identity?.startTime === record.startTime) process.kill(record.pid, "SIGINT");
  }
  await supervised.stop({ graceMs: 4_000 });
}

/** A host with several addresses fails with an error that has a code and no message. */
const codeOf = (error: Error) => ("code" in error ? error.code : error.name);

async function waitUntilReady(
  url: string,
  supervised: Supervised | null,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS[supervised ? "ours" : "given"];
  for (;;) {
    signal?.throwIfAborted();
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query("SELECT 1");
      return;
    } catch (error) {
      const why = error instanceof Error ? error.message || String(codeOf(error)) : String(error);
      // A server of somebody else that refuses us goes on refusing; one that restarts is waited for.
      if (!supervised && (Date.now() > deadline || !isDatabaseAway(error)))
        throw new Error(
          `the PostgreSQL of DATABASE_URL can not be used (${why}): correct the variable, or unset it to use the embedded one`,
        );
      if (Date.now() > deadline || (supervised?.restarts ?? 0) > 5)
        throw new Error(
          `PostgreSQL does not answer; its own words are in logs/postgres.log of the data directory (${why})`,
        );
      await sleep(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
