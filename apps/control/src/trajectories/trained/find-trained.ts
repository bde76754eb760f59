import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  parseTrainedName,
  type ReadBytes,
  readTrainedHeader,
  readTrainedRows,
  type TrainedColumns,
  type TrainedHeader,
  type TrainedSegment,
} from "@liverl/contract/trained-tokens";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { isMissing } from "@liverl/durable/atomic-file";
import type { Context } from "#context.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";

/** What an update computed of one segment's tokens. */
export interface Trained {
  update: TrainedHeader["update"];
  segment: TrainedSegment;
  columns: TrainedColumns;
}

export interface FoundTrained {
  trained: Trained | null;
  /** The last step that has a record; null where the run has none. */
  newestStep: number | null;
}

const MOST_HEADERS = 1_000;
/** Segments whose rows are kept: those that pages read now. */
const MOST_SEGMENTS = 8;
const headers = new Map<string, TrainedHeader | null>();
const segments = new Map<string, Trained>();

/** The record of the update that took a segment. Updates are looked through from the step on that the rollout was asked for in, to `last`. */
export async function findTrained(
  ctx: Pick<Context, "config" | "log">,
  { runId, sessionId, step }: Pick<ProxyTrajectory, "runId" | "sessionId" | "step">,
  segmentId: number,
  last = Number.POSITIVE_INFINITY,
): Promise<FoundTrained> {
  if (runId === null || step === null) return { trained: null, newestStep: null };
  const folder = runFiles(ctx.config.dataDir, runId).trainedTokens;
  const files = await listRecords(folder);
  const newestStep = files.at(-1)?.step ?? null;
  for (const { name } of files.filter((file) => file.step >= step && file.step <= last)) {
    const path = join(folder, name);
    const trained = await readFrom(ctx, path, { sessionId, segmentId });
    if (trained) return { trained, newestStep };
  }
  return { trained: null, newestStep };
}

async function listRecords(folder: string): Promise<{ name: string; step: number }[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const known = names.flatMap((name) => {
    const place = parseTrainedName(name);
    return place ? [{ name, ...place }] : [];
  });
  return known.sort((a, b) => a.step - b.step || a.update - b.update);
}

async function readFrom(
  ctx: Pick<Context, "log">,
  path: string,
  { sessionId, segmentId }: { sessionId: string; segmentId: number },
): Promise<Trained | null> {
  // A resume may write a step anew, so a file is known by its time and size, too.
  const found = await stat(path).catch(() => null);
  if (!found) return null;
  const key = `${path} ${found.mtimeMs} ${found.size}`;
  const own = `${key} ${sessionId} ${segmentId}`;
  const kept = segments.get(own);
  if (kept) return remember(segments, own, kept, MOST_SEGMENTS);
  const file = await open(path);
  const read: ReadBytes = async (at, length) => {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  };
  try {
    const known = headers.get(key);
    const header = remember(
      headers,
      key,
      known === undefined ? await readTrainedHeader(read) : known,
      MOST_HEADERS,
    );
    const segment = header?.update.segments.find(
      (one) => one.sessionId === sessionId && one.segmentId === segmentId,
    );
    if (!header || !segment) return null;
    const columns = await readTrainedRows(read, header, segment.rows);
    const trained = { update: header.update, segment, columns };
    return remember(segments, own, trained, MOST_SEGMENTS);
  } catch (error) {
    remember(headers, key, null, MOST_HEADERS);
    ctx.log.warn({ err: error, path }, "a record of trained tokens can not be read");
    return null;
  } finally {
    await file.close();
  }
}

/** Puts an entry last, and forgets the first where there are too many. */
function remember<T>(cache: Map<string, T>, key: string, value: T, most: number): T {
  cache.delete(key);
  cache.set(key, value);
  const [oldest] = cache.keys();
  if (cache.size > most && oldest !== undefined) cache.delete(oldest);
  return value;
}
