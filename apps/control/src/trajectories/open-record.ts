import { stat } from "node:fs/promises";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { Context } from "#context.ts";
import { readLiveRecord } from "#trajectories/live-records.ts";
import { parseJson } from "#trajectories/parse-json.ts";
import { TrialFolder } from "#trajectories/trial-folder.ts";

const TRAJECTORY_FILE = "proxy_trajectory.json";
/** Some 2 million tokens with their log-probs. */
const MAX_TRAJECTORY_BYTES = 64 * 1024 * 1024;

export interface RecordOfRollout {
  trajectory: ProxyTrajectory;
  /** Whether its session is still open. */
  live: boolean;
}

/** Files that were read lately, so that a page which reads one by range parses it once; the newest come last. */
const parsed = new Map<string, { bytes: number; trajectory: ProxyTrajectory | null }>();

/** Every token of an attempt: from its file, or from its session while it runs. Null where there is neither. */
export async function openRecord(
  ctx: Pick<Context, "config" | "runner">,
  row: { sessionId: string; status: string; directory: string | null },
): Promise<RecordOfRollout | null> {
  const trajectory = await readFile(ctx.config.dataDir, row.directory);
  if (trajectory) return { trajectory, live: false };
  if (row.status !== "running" && row.status !== "queued") return null;
  return readLiveRecord(ctx.runner, row.sessionId);
}

async function readFile(
  dataDir: string,
  directory: string | null,
): Promise<ProxyTrajectory | null> {
  const folder = await TrialFolder.open(dataDir, directory);
  if (!folder) return null;
  const path = folder.pathOf(TRAJECTORY_FILE);
  const found = await stat(path).catch(() => null);
  if (!found) return null;
  const key = `${path} ${found.mtimeMs} ${found.size}`;
  const text = parsed.has(key)
    ? null
    : await folder.readWhole(TRAJECTORY_FILE, MAX_TRAJECTORY_BYTES);
  const entry = parsed.get(key) ?? {
    bytes: found.size,
    // Cut or of another version: the raw text is still shown.
    trajectory: ProxyTrajectory.safeParse(parseJson(text)).data ?? null,
  };
  parsed.delete(key);
  parsed.set(key, entry);
  forgetOld();
  return entry.trajectory;
}

function forgetOld(): void {
  let bytes = 0;
  for (const [key, entry] of [...parsed].reverse()) {
    bytes += entry.bytes;
    if (bytes > MAX_TRAJECTORY_BYTES) parsed.delete(key);
  }
}
