import { mkdir } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { loadOrCreateToken } from "@liverl/durable/http-token";
import { keepPort } from "@liverl/durable/port";
import type { Logger } from "pino";
import { RelayHub } from "#relay/relay-hub.ts";
import { createAdminServer } from "#server/admin-server.ts";
import { listen } from "#server/http-exchange.ts";
import { Metrics } from "#server/metrics.ts";
import { createSessionServer } from "#server/session-server.ts";
import { Capabilities } from "#sessions/capability.ts";
import { SessionStore } from "#sessions/session-store.ts";

const SWEEP_EVERY_MS = 60_000;

export interface RunningProxy {
  /** Where agents go: `<agentUrl>/sess/<id>/v1`. */
  agentUrl: string;
  adminUrl: string;
  adminToken: string;
  /** Calls in flight are cut off; they count as incomplete after the next start. */
  stop(): Promise<void>;
}

/** Starts the proxy on `<dataDir>/proxy`. It listens once everything that was durable is back in memory. */
export async function startProxy({
  dataDir,
  log,
}: {
  dataDir: string;
  log: Logger;
}): Promise<RunningProxy> {
  const directory = join(dataDir, "proxy");
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const adminToken = await loadOrCreateToken(join(directory, "admin.token"));
  const capabilities = new Capabilities(await loadOrCreateToken(join(directory, "capability.key")));
  const store = await SessionStore.open(directory, log);
  const metrics = new Metrics();
  let stopping = false;
  const sweeper = setInterval(() => void store.sweep(Date.now()), SWEEP_EVERY_MS);
  sweeper.unref();

  const sessionServer = createSessionServer({
    store,
    metrics,
    log,
    capabilities,
    isStopping: () => stopping,
  });
  const sessionPort = await keepPort(join(directory, "session-port"));
  await listen(sessionServer, sessionPort);
  const agentUrl = `http://127.0.0.1:${sessionPort}`;
  const adminServer = createAdminServer({
    store,
    metrics,
    log,
    capabilities,
    token: adminToken,
    agentUrl,
  });
  const relay = new RelayHub({
    enginesOf: (poolId) => store.pools.relayEngines(poolId),
    token: await loadOrCreateToken(join(directory, "worker.token")),
    log,
  });
  relay.listenOn(adminServer);
  const adminPort = await keepPort(join(directory, "admin-port"));
  await listen(adminServer, adminPort);

  return {
    agentUrl,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    adminToken,
    stop: async () => {
      stopping = true;
      clearInterval(sweeper);
      relay.close();
      await Promise.all([close(sessionServer), close(adminServer)]);
      await store.close();
    },
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
