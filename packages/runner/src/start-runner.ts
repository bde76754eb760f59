import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { loadOrCreateToken } from "@liverl/durable/http-token";
import { openJournal } from "@liverl/durable/journal";
import { keepPort } from "@liverl/durable/port";
import type { Logger } from "pino";
import type { RunnerConfig } from "#config.ts";
import type { RunnerContext } from "#context.ts";
import { env } from "#env.ts";
import { openJobFiles } from "#harbor-files/job-files.ts";
import { Places } from "#leases/places.ts";
import { openProxyLink, type ProxyLink } from "#proxy-process/proxy-link.ts";
import { superviseProxy } from "#proxy-process/supervise-proxy.ts";
import { TrainerProxies } from "#proxy-process/trainer-proxies.ts";
import { forwardPools } from "#runs/register-run.ts";
import { openSandboxes } from "#sandboxes/open-sandboxes.ts";
import { openAgentPool } from "#scaffolds/agent-pool.ts";
import { ChatClient } from "#scaffolds/chat-client.ts";
import { HarborPython } from "#scaffolds/host-agents/harbor-python.ts";
import { ProgramStore } from "#scaffolds/programs/program-store.ts";
import { listenAdmin } from "#server/admin-server.ts";
import { freezeOrphans, freezeTrainersOrphans } from "#sessions/freeze-orphans.ts";
import { requeueTrials, restoreTrials } from "#trials/restore-trials.ts";
import { TrialFeedLog } from "#trials/trial-feed.ts";
import { openCodePool } from "#verifier/code-pool.ts";

export interface RunningRunner {
  port: number;
  token: string;
  ctx: RunnerContext;
  close(): Promise<void>;
}

const HIDDEN_TEST_PROCESSES = 1;

/**
 * Restores what an earlier life left, starts the workers and the proxy, and serves. `proxyLink` is given where
 * the proxy is someone else's: then none is started.
 */
export async function startRunner(options: {
  config: RunnerConfig;
  log: Logger;
  proxyLink?: ProxyLink;
}): Promise<RunningRunner> {
  const { config, log } = options;
  const { dataDir, entries } = config;
  await mkdir(join(dataDir, "runner"), { recursive: true });
  // Sandboxes belong to attempts of an earlier life: none of them goes on.
  await rm(join(dataDir, "sandboxes"), { recursive: true, force: true });
  await mkdir(join(dataDir, "sandboxes"));
  const token = await loadOrCreateToken(join(dataDir, "runner", "admin.token"));
  const journal = await openJournal({ directory: join(dataDir, "runner", "journal") });
  if (journal.tornBytes > 0)
    log.warn(
      { bytes: journal.tornBytes },
      "the journal's torn tail was cut: nothing in it was acknowledged",
    );
  const closing = new AbortController();
  const python = { python: env.LIVERL_PYTHON, folder: config.pythonFolder };
  const ctx: RunnerContext = {
    config,
    log,
    journal,
    feed: new TrialFeedLog(journal),
    proxy: options.proxyLink ?? openProxyLink({ dataDir }),
    trainerProxies: new TrainerProxies((link) => void freezeTrainersOrphans(ctx, link)),
    agents: openAgentPool({ entry: entries.agentWorker, codeWorkerEntry: entries.codeWorker }),
    verifier: openCodePool({
      entry: entries.codeWorker,
      size: HIDDEN_TEST_PROCESSES,
      warn: (text) => log.warn(text),
    }),
    jobs: openJobFiles({ log }),
    sandboxes: await openSandboxes({ dataDir, log }),
    programs: new ProgramStore({ dataDir, tunnelEntry: entries.sandboxTunnel, python }),
    harbor: new HarborPython({ dataDir, place: python }),
    chat: new ChatClient(),
    runs: new Map(),
    trials: new Map(),
    outsideSessions: new Map(),
    accepting: new Map(),
    places: new Places({ here: env.LIVERL_TRIALS_HERE ?? Number.POSITIVE_INFINITY }),
    leases: new Map(),
    closing: closing.signal,
  };
  ctx.agents.warm();
  ctx.verifier.warm();
  const restored = await restoreTrials(ctx);
  const proxy = options.proxyLink
    ? null
    : await superviseProxy({ config, log, link: ctx.proxy, onUp: () => forwardPools(ctx) });
  await requeueTrials(ctx, restored);
  void freezeOrphans(ctx);
  const port = await keepPort(join(dataDir, "runner", "port"));
  const trainer = await loadOrCreateToken(join(dataDir, "runner", "trainer.token"));
  const joined = await loadOrCreateToken(join(dataDir, "runner", "join.token"));
  const server = await listenAdmin(ctx, { port, tokens: { admin: token, trainer, joined } });
  return {
    port,
    token,
    ctx,
    close: async () => {
      closing.abort();
      for (const lease of ctx.leases.values()) lease.drop();
      server.close();
      server.closeAllConnections();
      await Promise.all([proxy?.stop(), ctx.agents.close(), ctx.verifier.close()]);
      await Promise.all([ctx.jobs.close(), ctx.chat.close(), ctx.sandboxes.close()]);
      await Promise.all([ctx.proxy.close(), ctx.trainerProxies.close()]);
      // On a full disk its trials count as if it had died.
      await journal
        .append({ kind: "closed", at: new Date().toISOString() })
        .catch((error: unknown) => log.warn({ err: error }, "the end could not be journaled"));
      await journal.close();
    },
  };
}
