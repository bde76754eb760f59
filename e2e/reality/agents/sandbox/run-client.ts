import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const NAMESPACES = ["--net", "--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL"];
const KEPT_TAIL = 20_000;

export interface ClientRun {
  /** 0, or what it ended with; null where its time was up. */
  exitCode: number | null;
  /** The last of stdout and of stderr. */
  output: string;
  errors: string;
  wallMs: number;
}

/** Whether this machine gives a process a network and a process namespace of its own. */
export function canIsolate(): boolean {
  const tried = spawnSync("unshare", [...NAMESPACES, "ip", "link", "set", "lo", "up"], {
    stdio: "ignore",
  });
  return tried.status === 0;
}

/**
 * Runs a client to its end or its deadline, after which nothing of it is left. `reach` puts it into namespaces of its
 * own, from which it gets to one port alone; null runs it where we are.
 */
export function runClient({
  argv,
  env,
  cwd,
  timeoutMs,
  reach,
}: {
  argv: readonly string[];
  env: Record<string, string>;
  cwd: string;
  timeoutMs: number;
  reach: { socketPath: string; port: number } | null;
}): Promise<ClientRun> {
  const enter = fileURLToPath(new URL("../e2e/reality/agents/sandbox/enter.mjs", import.meta.url));
  const [command = "", ...args] = reach
    ? [
        ...["unshare", ...NAMESPACES, process.execPath, enter],
        ...[reach.socketPath, String(reach.port), ...argv],
      ]
    : argv;
  const startedAt = Date.now();
  return new Promise((resolve, reject) => {
    // A group of its own, so that all of it can be ended at once; nothing of our environment goes in.
    const child = spawn(command, args, {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [output, errors] = ["", ""];
    let timedOut = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-KEPT_TAIL);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-KEPT_TAIL);
    });
    const endGroup = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The whole group is gone.
      }
    };
    const deadline = setTimeout(() => {
      timedOut = true;
      endGroup();
    }, timeoutMs);
    process.once("exit", endGroup);
    const settle = () => {
      clearTimeout(deadline);
      process.off("exit", endGroup);
      endGroup();
    };
    child.on("error", (error) => {
      settle();
      reject(error);
    });
    child.on("close", (code) => {
      settle();
      const wallMs = Date.now() - startedAt;
      resolve({ exitCode: timedOut ? null : (code ?? -1), output, errors, wallMs });
    });
  });
}
