import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { parseArguments } from "#arguments.mjs";
import { ClusterWatch } from "#cluster/cluster-watch.ts";
import { buildConfig } from "#config.ts";
import type { Context } from "#context.ts";
import { buildRunnerClient } from "#data-plane/runner-client.ts";
import { Live } from "#live/live.ts";
import type { Ingest } from "#metrics/ingest.ts";
import { openIngest } from "#metrics/open-ingest.ts";
import { publishFold } from "#metrics/publish-fold.ts";
import { SandboxWatch } from "#sandboxes/sandbox-watch.ts";
import { createTestDatabase } from "#testing/create-test-database.ts";
import { testPlaces } from "#testing/test-places.ts";

export type TestContext = Context & { actor: string };

export interface TestControl {
  ctx: TestContext;
  /** Ends the ingest as a stop of control does and opens it again on the same files. */
  restartIngest(): Promise<void>;
  stopIngest(): Promise<void>;
  close(): Promise<void>;
}

/** Control's context on a database and a data directory of its own. Real but for the thread: the ingest runs in this one. */
export async function buildTestContext(): Promise<TestControl> {
  const dataDir = await mkdtemp(join(tmpdir(), "liverl-control-"));
  await mkdir(join(dataDir, "logs"));
  const connection = await createTestDatabase();
  const live = new Live();
  const log = pino({ level: "silent" });
  const open = () =>
    openIngest({
      pool: connection.pool,
      directory: join(dataDir, "ingest"),
      onFold: (outcome) => publishFold({ live, db: connection.db, log }, outcome),
      onTrouble: () => undefined,
    });
  let current: Ingest = await open();
  const { arguments: args } = parseArguments(["--data-dir", dataDir, "--port", "0", "--no-run"]);
  if (!args) throw new Error("the test's own arguments are wrong");
  const config = {
    ...buildConfig(args, {
      LIVERL_LOG_LEVEL: "fatal",
      LIVERL_DCGM_URLS: [],
      LIVERL_WEBHOOK_ALLOW: [],
      LIVERL_SANDBOX: "docker",
      ...{ LIVERL_TOKEN_DIRS: [], LIVERL_KUBECONFIGS: [], LIVERL_PYTHON_DIRS: [] },
      ...{ RAY_AUTH_TOKEN_PATH: [], KUBECONFIG: [], PATH: [] },
    }),
    places: testPlaces(dataDir),
  };
  const ctx: TestContext = {
    config,
    log,
    db: connection.db,
    pool: connection.pool,
    live,
    // Verbs hold on to the context: calls go to the ingest that is open now.
    ingest: {
      readSeries: (input) => current.readSeries(input),
      readBacklog: (runId, after) => current.readBacklog(runId, after),
      take: (sent, writer) => current.take(sent, writer),
      settle: () => current.settle(),
      readPoints: (input) => current.readPoints(input),
      refresh: () => current.refresh(),
      append: (runId, lines) => current.append(runId, lines),
      close: () => current.close(),
    },
    runner: buildRunnerClient(dataDir),
    cluster: new ClusterWatch(config),
    sandboxes: new SandboxWatch(),
    processesOf: async () => [],
    wakeDrivers: () => undefined,
    actor: "test",
  };
  return {
    ctx,
    restartIngest: async () => {
      await current.close();
      current = await open();
    },
    stopIngest: () => current.close(),
    close: async () => {
      await current.close().catch(() => undefined);
      await connection.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
