import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { isAlive, listRecorded } from "@liverl/durable/process";
import type { Context } from "#context.ts";

/** Quick while the data plane comes up, slow after: processes that are restarted keep their ports. */
const LOOK_MS = 500;
const STEADY_LOOK_MS = 5_000;

/** Keeps `D/liverl.json` true: where people, agents and scripts find this LiveRL, and its processes. Ends with `signal`. */
export async function writeAddressFile(
  ctx: Pick<Context, "config" | "runner" | "log">,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  let written = "";
  let steady = false;
  while (!signal.aborted) {
    try {
      const agentUrl = await ctx.runner.health().then(
        (health) => health.agentUrl ?? null,
        () => null,
      );
      const records = await listRecorded(ctx.config.processes);
      const living = await Promise.all(
        records.map(async (record) => ((await isAlive(record)) ? [[record.name, record.pid]] : [])),
      );
      const text = `${JSON.stringify({ url, agentUrl, pids: Object.fromEntries(living.flat()) }, null, 2)}\n`;
      if (text !== written) await writeFileAtomic(join(ctx.config.dataDir, "liverl.json"), text);
      written = text;
      steady = agentUrl !== null;
    } catch (error) {
      ctx.log.warn({ err: error }, "liverl.json was not written");
    }
    await sleep(steady ? STEADY_LOOK_MS : LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}
