import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

export interface RunnerConfig {
  dataDir: string;
  /** Bundles of the processes that the runner starts. */
  entries: { proxy: string; agentWorker: string; codeWorker: string; sandboxTunnel: string };
  /** Folder of what runs on Python. */
  pythonFolder: string;
}

/** `--data-dir D`; the bundles lie beside the runner's own. */
export function parseConfig(argv: string[], selfUrl: string): RunnerConfig {
  const { values } = parseArgs({ args: argv, options: { "data-dir": { type: "string" } } });
  if (!values["data-dir"]) throw new Error("usage: node dist/runner.mjs --data-dir DIRECTORY");
  const dist = dirname(fileURLToPath(selfUrl));
  return {
    dataDir: resolve(values["data-dir"]),
    entries: {
      proxy: join(dist, "proxy.mjs"),
      agentWorker: join(dist, "agent-worker.mjs"),
      codeWorker: join(dist, "code-worker.mjs"),
      sandboxTunnel: join(dist, "sandbox-tunnel.mjs"),
    },
    pythonFolder: join(dist, "python"),
  };
}
