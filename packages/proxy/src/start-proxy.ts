import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadOrCreateToken } from "@liverl/durable/http-token";
import { makeDirectory } from "@liverl/durable/make-directory";
import type { Logger } from "pino";
import type { z } from "zod";
import { Turnstile } from "#calls/turnstile.ts";
import { reachable, urlOf } from "#config/advertised-host.ts";
import { ProcessPlan } from "#config/process-plan.ts";
import { RelayHub } from "#relay/relay-hub.ts";
import { createAdminServer } from "#server/admin-server.ts";
import { closeServer, limitBodies, listen } from "#server/http-exchange.ts";
import { Metrics } from "#server/metrics.ts";
import { createSessionServer } from "#server/session-server.ts";
import { Admission } from "#sessions/admission.ts";
import { Capabilities } from "#sessions/capability.ts";
import { LocalOperations } from "#sessions/local-operations.ts";
import { SessionStore } from "#sessions/session-store.ts";

const SWEEP_EVERY_MS = 60_000;
const DRAIN_POLL_MS = 20;
/** Answers of calls that have ended may take so long to leave. */
const FLUSH_MS = 1_000;

export interface RunningProxy {
  /** Where agents go: `<agentUrl>/sess/<id>/v1`. One a worker, where there are several. */
  agentUrls: string[];
  adminUrl: string;
  adminToken: string;
  /** Begins no new call, lets those in flight end within `withinMs`, then stops. */
  drain(withinMs: number): Promise<void>;
  /** Calls in flight are cut off; they count as incomplete after the next start. */
  stop(): Promise<void>;
}

/** Starts one process's proxy. It listens once everything that was durable is back in memory. */
export async function startProxy({
  log,
  ...asked
}: z.input<typeof ProcessPlan> & { log: Logger }): Promise<RunningProxy & { agentUrl: string }> {
  const plan = ProcessPlan.parse(asked);
  const { directory, sharedDirectory, host, adminHost } = plan;
  await makeDirectory(directory, 0o700);
  const token = await loadOrCreateToken(join(sharedDirectory, "admin.token"));
  const secret = await loadOrCreateToken(join(sharedDirectory, "capability.key"));
  const capabilities = new Capabilities(secret);
  const metrics = new Metrics(plan.worker);
  const admission = await Admission.open(directory, plan.limits, (reason) =>
    metrics.refused.inc({ reason }),
  );
  const store = await SessionStore.open(directory, log, admission);
  for (const [poolId, pool] of Object.entries(plan.pools)) await store.putPool(poolId, pool);
  let stopping = false;
  const sweeper = setInterval(() => void store.sweep(Date.now()), SWEEP_EVERY_MS);
  sweeper.unref();

  const isStopping = () => stopping;
  const turnstile = new Turnstile();
  const ctx = { store, metrics, log, turnstile, capabilities, isStopping };
  const sessionServer = createSessionServer(ctx);
  limitBodies(sessionServer, plan.limits.maxBodyMb);
  const sessionPort = await listen(sessionServer, {
    ...{ host, port: plan.port },
    keptAt: join(directory, "session-port"),
  });
  const agentUrl = urlOf(plan.advertise, sessionPort);
  const adminServer = createAdminServer({
    operations: new LocalOperations(plan, { agentUrl, store, capabilities, admission, metrics }),
    log,
    token,
    metricsOpen: plan.metricsOpen,
  });
  const relay = new RelayHub({
    enginesOf: (poolId) => store.pools.relayEngines(poolId),
    token: await loadOrCreateToken(join(sharedDirectory, "worker.token")),
    log,
  });
  relay.listenOn(adminServer);
  const adminPort = await listen(adminServer, {
    ...{ host: adminHost, port: plan.adminPort },
    keptAt: join(directory, "admin-port"),
  });

  const stop = async (flushMs = 0) => {
    stopping = true;
    clearInterval(sweeper);
    admission.close();
    relay.close();
    await Promise.all([closeServer(sessionServer, flushMs), closeServer(adminServer, flushMs)]);
    await store.close();
  };
  return {
    agentUrl,
    agentUrls: [agentUrl],
    adminUrl: urlOf(reachable(adminHost), adminPort),
    adminToken: token,
    drain: async (withinMs) => {
      admission.drain();
      const deadline = Date.now() + withinMs;
      while (Date.now() < deadline && store.list().some((session) => session.turns.size > 0))
        await sleep(DRAIN_POLL_MS);
      await stop(FLUSH_MS);
    },
    stop: () => stop(),
  };
}
