import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { REQUESTS_FILE } from "@liverl/proxy/trajectory/requests-file";
import type { Logger } from "pino";
import type { ProxyLink } from "#proxy-process/proxy-link.ts";
import { TRAJECTORY_FILE } from "#trials/trial-directory.ts";

/** Brings a completed session's files from another machine's proxy into `folder`, durably, and frees its disk of them. */
export async function takeTrajectory(
  { link, log }: { link: ProxyLink; log: Logger },
  sessionId: string,
  folder: string,
): Promise<void> {
  const { trajectory, requests } = await link.readFiles(sessionId);
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(join(folder, REQUESTS_FILE), requests);
  // Last: where this is, a session counts as over.
  await writeFileAtomic(join(folder, TRAJECTORY_FILE), trajectory);
  await link
    .dropFiles(sessionId, { patienceMs: 0 })
    .catch((error: unknown) => log.warn({ err: error, sessionId }, "files were not dropped there"));
}
