import { once } from "node:events";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline, Readable, type Writable } from "node:stream";
import { createGzip } from "node:zlib";
import { AppError } from "@liverl/contract/app-error";
import { maskSecrets } from "@liverl/contract/redact-secrets";
import { isTerminal, RunStatus } from "@liverl/contract/run";
import { type Headers, type Pack, pack } from "tar-stream";
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
  const zipped = createGzip();
  const gone = new AbortController();
  pipeline(Readable.from(archive, { objectMode: false }), zipped, (error) => {
    gone.abort();
    archive.destroy();
    if (error) ctx.log.warn({ err: error, runId }, "an archive broke off");
  });
  void fill(ctx, archive, { head, checkpoints }, gone.signal).catch((error: unknown) =>
    archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return zipped;
}

async function fill(
  ctx: Pick<Context, "pool" | "config">,
  archive: Pack,
  { head, checkpoints }: { head: ArchiveHead; checkpoints: boolean },
  gone: AbortSignal,
): Promise<void> {
  let entries = 0;
  /** Resolves when it was taken: no more than one part of rows, or one small file, waits in memory. */
  const put = (header: Headers, body: string | ((entry: Writable) => Promise<unknown>)) => {
    entries += 1;
    gone.throwIfAborted();
    return new Promise<void>((resolve, reject) => {
      const taken = (error?: Error | null) => (error ? reject(error) : resolve());
      const whole = { mode: 0o644, ...header };
      if (typeof body === "string") archive.entry(whole, body, taken);
      else body(archive.entry(whole, taken)).catch(reject);
    });
  };
  const add = (name: string, text: string) => put({ name }, text);
  await add(HEAD, JSON.stringify(head));
  for (const table of TABLES) {
    let part = 0;
    for await (const lines of readRows(ctx.pool, table, head.runId))
      await add(`rows/${table}/${String(++part).padStart(6, "0")}.jsonl`, lines);
  }
  for await (const file of filesOf(ctx, head, checkpoints))
    await put({ name: file.name, size: file.sizeBytes }, (entry) =>
      file.name.startsWith(LOGS) ? addLog(entry, file) : addFile(entry, file),
    );
  await add(END, JSON.stringify({ entries }));
  archive.finalize();
}

const LOGS = "run/logs/";
const NEWLINE = 0x0a;
const LONGEST_LINE = 1024 * 1024;

/** A log whose secrets are covered by asterisks: the file keeps the length that the archive says. */
async function addLog(entry: Writable, { name, path, sizeBytes }: FoundFile): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  let held = Buffer.alloc(0);
  let bytes = 0;
  const write = async (part: Buffer) => {
    bytes += part.length;
    // A character for each byte.
    const lines = part.toString("latin1").split("\n").map(maskSecrets).join("\n");
    if (!entry.write(Buffer.from(lines, "latin1"))) await once(entry, "drain");
  };
  try {
    const content = sizeBytes === 0 ? [] : file.createReadStream({ end: sizeBytes - 1 });
    for await (const chunk of content as AsyncIterable<Buffer>) {
      held = Buffer.concat([held, chunk]);
      const end = held.length > LONGEST_LINE ? held.length : held.lastIndexOf(NEWLINE) + 1;
      if (end === 0) continue;
      await write(held.subarray(0, end));
      held = held.subarray(end);
    }
    await write(held);
  } finally {
    await file.close();
  }
  if (bytes !== sizeBytes) throw new Error(`${name} changed while it was read`);
  entry.end();
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
