import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { AdminClient } from "#admin-client.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/liverl-proxy.mjs", import.meta.url));
const Ready = z.looseObject({
  event: z.literal("ready"),
  agentUrls: z.array(z.string()),
  adminUrl: z.string(),
});

/** The real program, on free ports of loopback, as its variables say. */
export class StandAlone {
  readonly child: ChildProcess;
  readonly token: string;
  #stdout = "";
  #stderr = "";
  readonly exited: Promise<number | null>;

  private constructor(child: ChildProcess, token: string) {
    this.child = child;
    this.token = token;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    this.exited = once(child, "exit").then(([code]) => code as number | null);
  }

  static start(
    dataDir: string,
    variables: Record<string, string | number> = {},
    args: readonly string[] = [],
  ): StandAlone {
    const token = String(variables.PROXY_ADMIN_TOKEN ?? "a-token-of-a-test");
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PROXY_DATA_DIR: dataDir,
        PROXY_PORT: "0",
        PROXY_ADMIN_PORT: "0",
        PROXY_ADMIN_TOKEN: token,
        ...Object.fromEntries(Object.entries(variables).map(([name, v]) => [name, String(v)])),
      },
    });
    return new StandAlone(child, token);
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The line that it prints when it is ready. Throws with what it said where it ended before. */
  async ready(): Promise<z.infer<typeof Ready> & { admin: AdminClient }> {
    while (!this.#stdout.includes("\n")) {
      if (this.child.exitCode !== null) throw new Error(`it ended: ${this.#stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const ready = Ready.parse(JSON.parse(this.#stdout));
    return { ...ready, admin: new AdminClient({ url: ready.adminUrl, token: this.token }) };
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill("SIGTERM");
    await this.exited;
  }
}
