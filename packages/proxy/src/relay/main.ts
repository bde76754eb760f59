import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { parseArgs } from "node:util";
import pino from "pino";
import { z } from "zod";
import { TokenApi } from "#backends/token-api.ts";
import { RelayWorker } from "#relay/worker.ts";

const USAGE =
  "relay-worker --proxy ws://HOST:PORT/ws/worker --token-file F --pool P --engine http://HOST:PORT " +
  "[--engine-key-file F] [--concurrency 32] [--worker NAME]";
const Flags = z.object({
  proxy: z.url({ protocol: /^wss?$/ }),
  "token-file": z.string().min(1),
  pool: z.string().min(1),
  engine: z.url({ protocol: /^https?$/ }),
  "engine-key-file": z.string().optional(),
  concurrency: z.coerce.number().int().min(1).max(100_000).default(32),
  worker: z.string().default(`${hostname()}-${process.pid}`),
});

const log = pino({ name: "relay-worker" });
const { values } = parseArgs({
  options: Object.fromEntries(
    Object.keys(Flags.shape).map((name) => [name, { type: "string" as const }]),
  ),
});
const flags = Flags.safeParse(values);
if (!flags.success) {
  process.stderr.write(`${z.prettifyError(flags.error)}\n${USAGE}\n`);
  process.exit(2);
}
const { proxy: url, pool, engine, concurrency, worker: name } = flags.data;
const worker = new RelayWorker({
  ...{ url, pool, concurrency, worker: name },
  token: (await readFile(flags.data["token-file"], "utf8")).trim(),
  backend: new TokenApi(engine, { keyPath: flags.data["engine-key-file"] ?? null }),
  onState: (state, detail) => log.info({ state, detail }, "relay"),
});
process.once("SIGTERM", () => worker.stop());
process.once("SIGINT", () => worker.stop());
await worker.run();
process.exit(0);
