import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadOrCreateToken } from "@liverl/durable/http-token";
import { probePort } from "@liverl/durable/port";
import { forgetRecorded } from "@liverl/durable/process";
import { watchAlerts } from "#alerts/watch-alerts.ts";
import { carryDeliveries } from "#alerts/webhooks/courier.ts";
import { buildApp } from "#app.ts";
import { clearImports } from "#archives/clear-imports.ts";
import { newIngestToken } from "#auth/api-tokens.ts";
import { Auth } from "#auth/auth.ts";
import { Merger } from "#checkpoints/merge/merger.ts";
import { ClusterWatch } from "#cluster/cluster-watch.ts";
import type { Config } from "#config.ts";
import type { Context } from "#context.ts";
import { CONTROL, claimDataDir } from "#data-plane/claim-data-dir.ts";
import { closeDataDir } from "#data-plane/close-data-dir.ts";
import { endLeftovers } from "#data-plane/end-leftovers.ts";
import { buildRunnerClient } from "#data-plane/runner-client.ts";
import { startRunner } from "#data-plane/start-runner.ts";
import { writeAddressFile } from "#data-plane/write-address-file.ts";
import { connect, openConnection } from "#database/connect.ts";
import { startDatabase } from "#database/start-database.ts";
import { EmbeddedDriver } from "#drivers/embedded/embedded-driver.ts";
import { VerlDriver } from "#drivers/verl/verl-driver.ts";
import { catchUpAllRuns } from "#findings/sync-findings.ts";
import { chooseFirstRun } from "#launch/choose-first-run.ts";
import { Live } from "#live/live.ts";
import { rememberTokens } from "#logs/remember-tokens.ts";
import { followMfu } from "#metrics/follow-mfu.ts";
import { publishFold } from "#metrics/publish-fold.ts";
import { startIngestWorker } from "#metrics/start-ingest-worker.ts";
import { openLog } from "#open-log.ts";
import { openPages } from "#open-pages.ts";
import { Replayer } from "#replays/replayer.ts";
import { followTrials } from "#rollouts/follow-trials.ts";
import { clearDeleted } from "#runs/clear-deleted.ts";
import { hideStoredSecrets } from "#runs/hidden-values.ts";
import { watchAttached } from "#runs/watch-attached.ts";
import { SandboxWatch } from "#sandboxes/sandbox-watch.ts";
import { samplePss } from "#system/sample-pss.ts";
import { showStatusLine } from "#system/show-status-line.ts";
import { waitForRun } from "#system/wait-for-run.ts";
import { whyRunnerIsDown } from "#system/why-runner-is-down.ts";

const OWN_CONNECTIONS = 6;
const RUNNER_GRACE_MS = 3_000;

/** Everything from an empty data directory to a served control room, until `signal`; then everything down again. Answers with the exit code. */
export async function startControl(config: Config, signal: AbortSignal): Promise<number> {
  const { dataDir, processes } = config;
  await closeDataDir(dataDir);
  await mkdir(join(dataDir, "logs"), { recursive: true });
  const logPath = join(dataDir, "logs/control.log");
  await claimDataDir(processes, logPath);
  const log = openLog(logPath, config.logLevel);
  // Undone in reverse, whatever comes: each entry ends what was started before it.
  const undo: (() => Promise<unknown>)[] = [() => forgetRecorded(processes, CONTROL)];
  /** Waits for what is being started and notes how it ends; goes no further once somebody asked to stop. */
  const started = async <T>(starting: Promise<T>, end: (it: T) => Promise<unknown>): Promise<T> => {
    const it = await starting;
    undo.push(() => end(it));
    signal.throwIfAborted();
    return it;
  };
  try {
    await checkPort(config);
    if (process.getuid?.() === 0)
      process.stderr.write(
        "Warning: LiveRL runs as root, and with it every launch. Start it as a user of its own.\n",
      );
    const database = await started(startDatabase(config, {}, signal), (it) => it.stop());
    const connection = await started(connect(database.url, config.migrations), (it) => it.close());
    // Drivers and followers go on however many queries come in.
    const own = await started(
      Promise.resolve(openConnection(database.url, OWN_CONNECTIONS)),
      (it) => it.close(),
    );
    const live = new Live();
    const starting = startIngestWorker(
      join(config.dist, "ingest-worker.mjs"),
      { databaseUrl: database.url, directory: join(dataDir, "ingest") },
      {
        onFold: (outcome) => publishFold({ live, db: own.db, log }, outcome),
        onTrouble: (what, message) => log.warn({ what, message }, "ingest waits"),
        onDeath: (error) =>
          log.fatal(
            { err: error },
            "the ingest thread died: metrics stand still until the next start",
          ),
      },
    );
    const ingest = await started(starting, (it) => it.close());
    const ctx: Context = {
      config,
      log,
      db: connection.db,
      pool: connection.pool,
      live,
      ingest,
      runner: buildRunnerClient(dataDir),
      cluster: new ClusterWatch(config),
      sandboxes: new SandboxWatch(),
      processesOf: async (runId) => [
        ...embedded.processesOf(runId),
        ...(await verl.processesOf(runId)),
      ],
      wakeDrivers: () => {
        embedded.wake();
        verl.wake();
        merger.wake();
        replayer.wake();
      },
    };
    const background: Context = { ...ctx, db: own.db, pool: own.pool };
    const embedded: EmbeddedDriver = new EmbeddedDriver(background);
    const verl: VerlDriver = new VerlDriver(background);
    const merger: Merger = new Merger(background);
    const replayer: Replayer = new Replayer(background);
    await clearImports(background);
    await clearDeleted(background);
    await hideStoredSecrets(background);
    const auth = new Auth(own.pool, {
      operator: await loadOrCreateToken(join(dataDir, "operator.token")),
      ingest: await loadOrCreateToken(join(dataDir, "ingest.token"), newIngestToken),
    });
    await rememberTokens(dataDir);
    const pages = await openPages(config.web, config.host, config.port);
    const app = buildApp(ctx, auth, pages);
    const { port } = await started(app.listen(config.host, config.port), () => app.close());

    undo.push(() => endLeftovers(processes, [CONTROL, "postgres"]));
    const runner = await startRunner(config);
    // The data plane makes its own at its first start.
    void runnerTokens(dataDir, signal);
    void sayWhyRunnerIsDown(ctx, signal);
    const following = new AbortController();
    const trials = followTrials(background, following.signal);
    await followMfu(background, following.signal);
    const alerts = watchAlerts(background, following.signal);
    const findings = catchUpAllRuns(background, following.signal);
    const deliveries = carryDeliveries(background, following.signal);
    const attached = watchAttached(background, following.signal);
    embedded.start();
    verl.start();
    merger.start();
    replayer.start();
    undo.push(async () => {
      following.abort();
      await Promise.all([
        embedded.stop(),
        verl.stop(),
        merger.release(),
        replayer.stop(),
        runner.stop({ graceMs: RUNNER_GRACE_MS }),
        trials,
        alerts,
        findings,
        attached,
        deliveries,
      ]);
    });

    const url = `http://${config.host === "::1" ? "[::1]" : config.host}:${port}`;
    const addresses = writeAddressFile(background, url, following.signal);
    undo.push(async () => {
      following.abort();
      await addresses;
      await rm(join(dataDir, "liverl.json"), { force: true });
    });
    signal.throwIfAborted();
    // Before the link is printed: it opens on this run.
    const runId = await chooseFirstRun(ctx);
    // With --exit-after-run stdout is for the result alone.
    (config.exitAfterRun ? process.stderr : process.stdout).write(
      `LiveRL ready ${url}/start?code=${await auth.createLoginCode()}\n`,
    );
    const status = showStatusLine(background, following.signal);
    undo.push(() => {
      following.abort();
      return status;
    });
    const pss = config.exitAfterRun ? samplePss(processes, following.signal) : null;
    if (config.exitAfterRun && runId !== null) return await waitForRun(ctx, runId, pss, signal);
    await new Promise<void>((resolve) =>
      signal.aborted
        ? resolve()
        : signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    log.info({ err: error }, "asked to stop while starting");
    return config.exitAfterRun ? 130 : 0;
  } finally {
    for (const step of undo.reverse()) {
      await step().catch((error: unknown) => log.error({ err: error }, "shutting down"));
    }
    log.flush();
  }
}

/** "LiveRL ready" is said when pages answer: a runner that can not start is said, too. */
async function sayWhyRunnerIsDown(
  { runner, config, log }: Pick<Context, "runner" | "config" | "log">,
  signal: AbortSignal,
): Promise<void> {
  for (let i = 0; i < 10 && !signal.aborted; i++) {
    await sleep(2_000, undefined, { ref: false });
    if (await runner.health().catch(() => null)) return;
    const reason = await whyRunnerIsDown(config.dataDir).catch(() => null);
    if (reason === null) continue;
    process.stderr.write(`The trial runner does not start, so no trial can run: ${reason}\n`);
    log.error({ reason }, "the trial runner does not start");
    return;
  }
}

async function runnerTokens(dataDir: string, signal: AbortSignal): Promise<void> {
  for (let i = 0; i < 10 && !signal.aborted; i++) {
    await rememberTokens(dataDir);
    await sleep(3_000, undefined, { ref: false });
  }
}

async function checkPort({ port, host }: Config): Promise<void> {
  if ((await probePort(port, host)) !== null) return;
  throw new Error(
    `port ${port} of ${host} is in use: stop the program that listens there, or give --port another number`,
  );
}
