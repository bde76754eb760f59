import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lease } from "@liverl/contract/lease";
import type { Logger } from "pino";
import { env } from "#env.ts";
import { HomeClient, HomeRefusal } from "#joined/home-client.ts";
import type { JoinConfig } from "#joined/join-config.ts";
import { type JoinedContext, runLease } from "#joined/run-lease.ts";
import { TaskCache } from "#joined/task-cache.ts";
import { openSandboxes } from "#sandboxes/open-sandboxes.ts";
import { ChatClient } from "#scaffolds/chat-client.ts";
import { HarborPython } from "#scaffolds/host-agents/harbor-python.ts";
import { ProgramStore } from "#scaffolds/programs/program-store.ts";

export interface JoinedProcess {
  /** Resolves when it has been closed; rejects where the other side wants it not. */
  readonly done: Promise<void>;
  /** Gives back what it has; nothing of it stays in a sandbox. */
  close(): void;
}

const WAIT_S = 30;
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;

/** Takes trials of the runner at `config.home` for as long as it lives. It keeps nothing that anybody would miss. */
export async function joinRunner(config: JoinConfig, log: Logger): Promise<JoinedProcess> {
  const { dataDir } = config;
  // Of an earlier life: whoever gave those leases has given them up.
  await rm(join(dataDir, "trials"), { recursive: true, force: true });
  const closing = new AbortController();
  const python = { python: env.LIVERL_PYTHON, folder: config.pythonFolder };
  const ctx: JoinedContext = {
    config: { dataDir },
    log,
    // The job's files are made where all of its trials are.
    jobs: { add: () => undefined, close: async () => undefined },
    sandboxes: await openSandboxes({ dataDir, log }),
    programs: new ProgramStore({ dataDir, tunnelEntry: config.sandboxTunnel, python }),
    harbor: new HarborPython({ dataDir, place: python }),
    chat: new ChatClient(),
    closing: closing.signal,
    home: new HomeClient({ url: config.home, tokenPath: config.tokenPath }),
    tasks: new TaskCache(join(dataDir, "tasks")),
  };
  const running = new Set<Promise<void>>();
  const work = async () => {
    try {
      await takeLeases(ctx, config, running);
    } finally {
      closing.abort();
      await Promise.all(running);
      await Promise.all([ctx.sandboxes.close(), ctx.chat.close()]);
      await ctx.home.close();
    }
  };
  return { done: work(), close: () => closing.abort() };
}

async function takeLeases(
  ctx: JoinedContext,
  config: JoinConfig,
  running: Set<Promise<void>>,
): Promise<void> {
  const closed = aborted(ctx.closing);
  while (!ctx.closing.aborted) {
    if (running.size >= config.slots) {
      await Promise.race([...running, closed]);
      continue;
    }
    const lease = await nextLease(ctx, config);
    if (!lease) continue;
    const run = runLease(ctx, lease).finally(() => running.delete(run));
    running.add(run);
  }
}

/** Null where there was none, or nobody answered: then after a while. Throws what no repeat would mend. */
async function nextLease(
  { home, log, closing }: JoinedContext,
  { name, slots }: JoinConfig,
): Promise<Lease | null> {
  const request = { runner: name, slots, sandbox: env.LIVERL_SANDBOX };
  for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
    try {
      return await home.lease(request, WAIT_S, closing);
    } catch (error) {
      if (closing.aborted) return null;
      if (error instanceof HomeRefusal && error.status < 500) throw error;
      log.warn({ err: error, home: home.url }, "the trial runner does not answer; asking again");
      await sleep(backoffMs, undefined, { signal: closing }).catch(() => undefined);
      if (closing.aborted) return null;
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
