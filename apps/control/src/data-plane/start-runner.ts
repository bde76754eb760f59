import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Supervised, supervise } from "@liverl/durable/supervise";
import type { Config } from "#config.ts";
import { runnerEnv } from "#env.ts";

/** Adopts or starts the trial runner, which starts the proxy; restarts it when it dies. */
export async function startRunner(
  config: Pick<Config, "dataDir" | "dist" | "processes" | "root">,
): Promise<Supervised> {
  await mkdir(join(config.dataDir, "logs"), { recursive: true });
  return supervise({
    spec: () => ({
      directory: config.processes,
      name: "runner",
      argv: [process.execPath, join(config.dist, "runner.mjs"), "--data-dir", config.dataDir],
      env: runnerEnv(),
      cwd: config.root,
      logPath: join(config.dataDir, "logs/runner.log"),
      startedBy: `control ${process.pid}`,
    }),
    maxBackoffMs: 2_000,
  });
}
