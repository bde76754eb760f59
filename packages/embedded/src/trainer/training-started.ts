import { join } from "node:path";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { z } from "zod";

const Started = z.object({ at: z.string() });

/** When the first training rollout was asked for, in the first life of the run, ISO 8601. */
export async function trainingStarted(runDirectory: string): Promise<string> {
  const path = join(runDirectory, "training-started.json");
  const known = await readJson(path, Started);
  if (known) return known.at;
  const at = new Date().toISOString();
  await writeFileAtomic(path, JSON.stringify({ at }));
  return at;
}
