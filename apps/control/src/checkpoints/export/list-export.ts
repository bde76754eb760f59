import { lstat, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import { findHf } from "#checkpoints/hf/find-hf.ts";
import { mergeableSpec } from "#checkpoints/merge/judge-merge.ts";
import { mergeFiles } from "#checkpoints/merge/merge-files.ts";
import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";

export interface ExportFile {
  /** Below the folder, with `/`. */
  name: string;
  path: string;
  sizeBytes: number;
}

/** What a download of a checkpoint holds: the model in Hugging Face form, or an embedded checkpoint as it is. */
export async function listExport(
  ctx: Pick<Context, "db" | "config">,
  { runId, step }: { runId: string; step: number },
): Promise<ExportFile[]> {
  const spec = mergeableSpec(await getRunRow(ctx, runId));
  const folder = await folderOf(ctx, { runId, step }, typeof spec !== "string");
  const root = await realpath(folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    // A link is no file of the checkpoint, wherever it leads.
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const { size } = await lstat(path);
        return { name: relative(root, path).split(sep).join("/"), path, sizeBytes: size };
      }),
  );
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function folderOf(
  { config }: Pick<Context, "config">,
  { runId, step }: { runId: string; step: number },
  isVerl: boolean,
): Promise<string> {
  const missing = (userMessage: string) => new AppError("NOT_FOUND", { userMessage });
  if (isVerl) {
    const hf = await findHf(mergeFiles(config.dataDir, runId, step).checkpoint);
    if (hf) return hf.path;
    throw missing(
      `The checkpoint of step ${step} is not there in Hugging Face form: merge it first.`,
    );
  }
  const found = await findCheckpoints(config.dataDir, runId);
  const checkpoint = found.find((one) => one.step === step && one.complete);
  if (checkpoint) return checkpoint.path;
  throw missing(`${runId} has no complete checkpoint of step ${step}.`);
}
