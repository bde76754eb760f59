import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "#context.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { openTokenizer, type TokenBytes } from "#trajectories/open-tokenizer.ts";

/** A vocabulary of 150,000 tokens takes a third of a second to read. */
const KEPT = 4;
const opened = new Map<string, Promise<TokenBytes | null>>();

/** Where a run's model lies, as far as its spec tells: it may be on another machine. */
export function modelFolderOf(
  config: Pick<Context["config"], "dataDir">,
  run: { id: string; spec: unknown },
): string {
  const spec = settledSpec(run.spec);
  return spec === null || spec.driver === "embedded"
    ? runFiles(config.dataDir, run.id).model
    : spec.model.path;
}

/** What a run's token ids stand for; null where its model is not on this machine. */
export async function openRunTokenizer(
  { db, config }: Pick<Context, "db" | "config">,
  runId: string,
): Promise<TokenBytes | null> {
  const run = await db.run.findUnique({ where: { id: runId }, select: { spec: true } });
  const folder = modelFolderOf(config, { id: runId, spec: run?.spec });
  const found = await stat(join(folder, "tokenizer.json")).catch(() => null);
  if (!found?.isFile()) return null;
  const key = `${folder} ${found.mtimeMs} ${found.size}`;
  const known = opened.get(key) ?? openTokenizer(folder).catch(() => null);
  // The one that was asked for last is forgotten last.
  opened.delete(key);
  opened.set(key, known);
  for (const old of [...opened.keys()].slice(0, -KEPT)) opened.delete(old);
  return known;
}
