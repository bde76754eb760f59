import { spawn } from "node:child_process";
import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { until } from "#testing/until.ts";

/** The real proxy, as a runner hosts it, on a data directory. */
export async function startProxy(config: {
  dataDir: string;
  dist: string;
}): Promise<{ stop(): Promise<void> }> {
  await mkdir(join(config.dataDir, "proxy"), { recursive: true });
  const argv = [join(config.dist, "proxy.mjs"), "--data-dir", config.dataDir];
  const child = spawn(process.execPath, argv, { stdio: "ignore" });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await until(() =>
    access(join(config.dataDir, "proxy/admin-port")).then(
      () => true,
      () => false,
    ),
  );
  return {
    stop: () => {
      child.kill("SIGKILL");
      return gone;
    },
  };
}
