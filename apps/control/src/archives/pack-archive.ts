import { once } from "node:events";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { AppError } from "@liverl/contract/app-error";
import { isTerminal, RunStatus } from "@liverl/contract/run";
import { type Pack, pack } from "tar-stream";
import {
  type ArchiveHead,
  CHECKPOINTS,
  END,
  FORMAT,
  HEAD,
  RUN_PARTS,
  TABLES,
} from "#archives/archive-format.ts";
import { readRows } from "#archives/read-rows.ts";
import { type FoundFile, walkFiles } from "#archives/walk-files.ts";
import { addFile } from "#checkpoints/export/pack-tar.ts";
import type { Context } from "#context.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { getRunRow } from "#runs/get-run-row.ts";

export interface AskedArchive {
  runId: string;
  checkpoints: boolean;
}

/** A run that has ended, as a tar.gz that is made as fast as it is taken. CONFLICT while it goes on. */
export async function packArchive(
  ctx: Pick<Context, "db" | "pool" | "config" | "log">,
  { runId, checkpoints }: AskedArchive,
): Promise<Readable> {
  const { status, project } = await getRunRow(ctx, runId);
  if (!isTerminal(RunStatus.parse(status)))
    throw new AppError("CONFLICT", {
      userMessage: `${runId} is ${status}: it can be archived once it has ended.`,
    });
  const { version } = ctx.config;
  const head: ArchiveHead = { format: FORMAT, runId, project, version };
  const archive = pack();
  const zipped = Readable.from(archive, { objectMode: false }).pipe(createGzip());
  const fail = (error: unknown) => {
    ctx.log.warn({ err: error, runId }, "an archive broke off");
    zipped.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  archive.on("error", fail);
  const gone = new AbortController();
  zipped.once("close", () => {
    gone.abort();
    archive.destroy();
  });
  void fill(ctx, archive, { head, checkpoints }, gone.signal).catch(fail);
  return zipped;
}

async function fill(
  ctx: Pick<Context, "pool" | "config">,
  archive: Pack,
  { head, checkpoints }: { head: ArchiveHead; checkpoints: boolean },
  gone: AbortSignal,
): Promise<void> {
  let entries = 0;
  const add = async (name: string, text: string) => {
    entries += 1;
    gone.throwIfAborted();
    // Drains when the entry was taken: no more than one part of rows waits in memory.
    await new Promise<void>((resolve, reject) =>
      archive.entry({ name, mode: 0o644 }, text, (error) => (error ? reject(error) : resolve())),
    );
  };
  await add(HEAD, JSON.stringify(head));
  for (const table of TABLES) {
    let part = 0;
    for await (const lines of readRows(ctx.pool, table, head.runId))
      await add(`rows/${table}/${String(++part).padStart(6, "0")}.jsonl`, lines);
  }
  for await (const { name, path, sizeBytes } of filesOf(ctx, head, checkpoints)) {
    entries += 1;
    gone.throwIfAborted();
    const entry = archive.entry({ name, size: sizeBytes, mode: 0o644 });
    await addFile(entry, { name, path, sizeBytes });
    if (!entry.writableFinished) await once(entry, "finish", { signal: gone });
  }
  await add(END, JSON.stringify({ entries }));
  archive.finalize();
}

async function* filesOf(
  { config }: Pick<Context, "config">,
  { project, runId }: ArchiveHead,
  checkpoints: boolean,
): AsyncGenerator<FoundFile> {
  const { directory } = runFiles(config.dataDir, runId);
  for (const part of checkpoints ? [...RUN_PARTS, CHECKPOINTS] : RUN_PARTS)
    yield* walkFiles(join(directory, part), `run/${part}`);
  yield* walkFiles(join(config.dataDir, "harbor_trials", project, runId), "trials");
}
