import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { makeDirectory } from "@liverl/durable/make-directory";
import { identityOf } from "@liverl/durable/process-identity";
import { z } from "zod";

const Owner = z.object({ pid: z.number().int(), startTime: z.string() });

/**
 * Makes this process the owner of `<dataDir>/proxy`: two that write one journal would damage it. Throws CONFLICT while
 * another one lives. A process of another host, or of another container, is not seen from here.
 */
export async function claimDirectory(dataDir: string): Promise<void> {
  const directory = join(dataDir, "proxy");
  await makeDirectory(directory, 0o700).catch((error: NodeJS.ErrnoException) => {
    throw new AppError("BAD_REQUEST", {
      userMessage: `dataDir: "${dataDir}" can not be written (${error.code}). Allowed: a folder that the proxy may write in.`,
      cause: error,
    });
  });
  const path = join(directory, "owner.json");
  // What can not be read was torn by a crash of whoever wrote it.
  const owner = await readJson(path, Owner).catch(() => null);
  const holder = owner && (await identityOf(owner.pid));
  if (owner && owner.pid !== process.pid && holder?.startTime === owner.startTime)
    throw new AppError("CONFLICT", {
      userMessage: `dataDir: "${dataDir}" belongs to the proxy with pid ${owner.pid}, which runs. End it, or choose another folder.`,
    });
  const self = await identityOf(process.pid);
  await writeFileAtomic(
    path,
    JSON.stringify({ pid: process.pid, startTime: self?.startTime ?? "" }),
  );
}
