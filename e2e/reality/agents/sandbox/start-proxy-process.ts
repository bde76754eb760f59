import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { AdminClient } from "@liverl/proxy/admin-client";
import { z } from "zod";
import { env } from "#reality/agents/env.ts";

const READY_WITHIN_MS = 20_000;
const Ready = z.looseObject({ agentUrl: z.string(), adminUrl: z.string() });

export interface ProxyProcess {
  agentUrl: string;
  admin: AdminClient;
  stop(): Promise<void>;
}

/** Starts the proxy that ships, as its own process; its log goes to `<directory>/proxy.log`. */
export async function startProxyProcess(directory: string): Promise<ProxyProcess> {
  const child = spawn(process.execPath, [resolve("dist/proxy.mjs"), "--data-dir", directory], {
    env: { PATH: env.PATH, LIVERL_LOG_LEVEL: "info" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.stdout.pipe(createWriteStream(join(directory, "proxy.log")));
  const { agentUrl, adminUrl } = await new Promise<z.infer<typeof Ready>>((resolve, reject) => {
    const fail = () => reject(new Error(`the proxy did not start: see ${directory}/proxy.log`));
    const timer = setTimeout(fail, READY_WITHIN_MS);
    child.once("exit", fail);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const ready = Ready.safeParse(JSON.parse(line));
      if (!ready.success) return;
      clearTimeout(timer);
      child.off("exit", fail);
      resolve(ready.data);
    });
  });
  const token = (await readFile(join(directory, "proxy", "admin.token"), "utf8")).trim();
  const admin = new AdminClient({ url: adminUrl, token });
  return {
    agentUrl,
    admin,
    stop: async () => {
      await admin.close();
      child.kill("SIGTERM");
      await ended;
      process.off("exit", kill);
    },
  };
}
