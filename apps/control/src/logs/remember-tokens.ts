import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rememberSecrets } from "@liverl/contract/redact-secrets";

const FILES = [
  ...["operator.token", "ingest.token", "proxy/admin.token", "proxy/worker.token"],
  ...["proxy/capability.key", "runner/admin.token", "runner/join.token", "runner/trainer.token"],
];

/** From now on no log, export or error shows a token of the data directory. To be called again once others are made. */
export async function rememberTokens(dataDir: string): Promise<void> {
  const texts = await Promise.all(
    FILES.map((file) => readFile(join(dataDir, file), "utf8").catch(() => "")),
  );
  rememberSecrets(texts.map((text) => text.trim()));
}
