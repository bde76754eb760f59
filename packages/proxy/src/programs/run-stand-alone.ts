import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import pino from "pino";
import { loadSettings } from "#config/load-settings.ts";
import { planProcesses } from "#config/plan-processes.ts";
import { AdminToken, ALLOWED, type ProxySettings } from "#config/proxy-settings.ts";
import { SettingsError } from "#config/settings-error.ts";
import { proxyVariables } from "#env.ts";
import { untilStopped } from "#programs/until-stopped.ts";
import { type RunningProxy, startProxy } from "#start-proxy.ts";
import { claimDirectory } from "#workers/claim-directory.ts";
import { Fleet } from "#workers/fleet.ts";
import { absorbRetired, findLeaving, reapWorkers } from "#workers/worker-folders.ts";

/** The proxy on its own, as a file and the environment say. `entry` is the bundle that workers run. */
export async function runStandAlone(configPath: string | null, entry: string): Promise<void> {
  const settings = loadSettings(configPath, proxyVariables());
  const log = pino({ name: "proxy", level: settings.logLevel }, pino.destination(2));
  const { dataDir } = settings;
  await claimDirectory(dataDir);
  await placeToken(settings);
  const proxy = await start(settings, entry, log);
  const ready = {
    pid: process.pid,
    agentUrls: proxy.agentUrls,
    adminUrl: proxy.adminUrl,
    dataDir,
    startedAt: new Date().toISOString(),
  };
  await writeFileAtomic(join(dataDir, "proxy.json"), `${JSON.stringify(ready)}\n`).catch(
    (error: unknown) => log.warn({ err: error }, "proxy.json could not be written"),
  );
  process.stdout.write(`${JSON.stringify({ event: "ready", ...ready })}\n`);
}

async function start(
  settings: ProxySettings,
  entry: string,
  log: pino.Logger,
): Promise<RunningProxy> {
  const { dataDir, workers, adminHost, adminPort, metricsOpen, logLevel } = settings;
  const { plan, pools } = planProcesses(settings);
  const withinMs = settings.drainSeconds * 1_000;
  if (workers > 1 || (await findLeaving(dataDir, 1)).length > 0) {
    const fleet = new Fleet({
      ...{ plan, pools, workers, adminHost, adminPort, metricsOpen, logLevel, entry, log },
    });
    untilStopped(log, { drain: () => fleet.end(withinMs), abandon: () => fleet.end(0) });
    return await fleet.start().catch(async (error: unknown) => {
      await fleet.end(0);
      throw error;
    });
  }
  await reapWorkers(dataDir, { graceMs: withinMs });
  await absorbRetired(dataDir);
  const proxy = await startProxy({ ...plan, pools, log });
  untilStopped(log, { drain: () => proxy.drain(withinMs), abandon: async () => undefined });
  return proxy;
}

/** The token that was chosen becomes the one in the file that every process, and whoever scripts it, reads. */
async function placeToken({ dataDir, adminToken, adminTokenFile }: ProxySettings): Promise<void> {
  const token = adminTokenFile === null ? adminToken : await readToken(adminTokenFile);
  if (token === null) return;
  const path = join(dataDir, "proxy", "admin.token");
  const held = await readFile(path, "utf8").catch(() => "");
  if (held.trim() !== token) await writeFileAtomic(path, `${token}\n`, { mode: 0o600 });
}

async function readToken(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError([
      `adminTokenFile: ${JSON.stringify(path)} can not be read (${error.code}). Allowed: ${ALLOWED.adminTokenFile}.`,
    ]);
  });
  const token = text.trim();
  if (AdminToken.safeParse(token).success) return token;
  throw new SettingsError([
    `adminTokenFile: ${JSON.stringify(path)} does not hold a token. Allowed: ${ALLOWED.adminToken}.`,
  ]);
}
