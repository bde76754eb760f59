import { once } from "node:events";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { z } from "zod";
import { buildEngineServer } from "#engine/http/engine-server.ts";
import { startEngine } from "#engine/start-engine.ts";

const Flags = z.object({
  "run-dir": z.string().min(1),
  index: z.coerce.number().int().nonnegative(),
  port: z.coerce.number().int().min(0).max(65_535),
});
const MODEL_WAIT_MS = 120_000;

/** The trainer or the driver writes the model folder; an engine that is started beside them waits for it. */
async function waitForModel(directory: string): Promise<void> {
  for (const deadline = Date.now() + MODEL_WAIT_MS; Date.now() < deadline; await sleep(200)) {
    const isThere = await access(join(directory, "config.json")).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
  throw new Error(`no model folder came to be at ${directory}`);
}

const { values } = parseArgs({
  options: { "run-dir": { type: "string" }, index: { type: "string" }, port: { type: "string" } },
});
const flags = Flags.parse(values);
const logger = pino({ name: `engine-${flags.index}` });
await waitForModel(join(flags["run-dir"], "model"));
const ctx = await startEngine(flags["run-dir"], flags.index, logger);
const server = buildEngineServer(ctx);
server.listen(flags.port, "127.0.0.1");
await once(server, "listening");
logger.info({ address: server.address() }, "engine listens");

async function stop(): Promise<void> {
  server.close();
  ctx.core.abortRequests(() => true);
  server.closeIdleConnections();
  await Promise.race([once(server, "close"), sleep(1500)]);
  process.exit(0);
}
process.once("SIGTERM", () => void stop());
process.once("SIGINT", () => void stop());
