import { join } from "node:path";
import { keepPort } from "@liverl/durable/port";
import { isAlive, recoverRecord } from "@liverl/durable/process";
import { type Supervised, supervise } from "@liverl/durable/supervise";
import type { Config } from "#config.ts";
import { processName, type RunFiles } from "#drivers/embedded/run-files.ts";
import { childEnv } from "#env.ts";

/** One engine replica of a run: adopted if it lives, else started on its kept port, restarted when it dies. */
export function superviseEngine(
  config: Pick<Config, "dist" | "processes">,
  runId: string,
  files: RunFiles,
  index: number,
  listeners: { onDeath: (code: number | null) => void; onChange: () => void },
): Supervised {
  const name = processName(runId, `engine-${index}`);
  return supervise({
    spec: async () => {
      const known = await recoverRecord(config.processes, name);
      // A living engine holds its port, so that port must not be probed.
      const kept = known && (await isAlive(known)) ? known.port : null;
      const port = kept ?? (await keepPort(files.enginePort(index)));
      return {
        directory: config.processes,
        name,
        argv: [
          process.execPath,
          join(config.dist, "engine.mjs"),
          "--run-dir",
          files.directory,
          "--index",
          String(index),
          "--port",
          String(port),
        ],
        env: childEnv(),
        cwd: files.directory,
        logPath: files.log(`engine-${index}`),
        port,
        startedBy: `control ${process.pid}`,
      };
    },
    onExit: ({ code }) => {
      listeners.onDeath(code);
      return "restart";
    },
    onChange: listeners.onChange,
  });
}

/** Waits until the engine's record names its port. */
export async function enginePort(supervised: Supervised, signal: AbortSignal): Promise<number> {
  for (;;) {
    signal.throwIfAborted();
    const port = supervised.record?.port;
    if (port != null) return port;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
