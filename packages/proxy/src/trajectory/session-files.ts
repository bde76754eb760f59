import { readFile, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { SessionFiles } from "@liverl/contract/proxy-admin";
import { isMissing } from "@liverl/durable/atomic-file";
import { REQUESTS_FILE } from "#trajectory/requests-file.ts";

/** Both files of a completed session by the path of its trajectory, word for word. Throws NOT_FOUND where they are gone. */
export async function readSessionFiles(path: string): Promise<SessionFiles> {
  try {
    const requests = readFile(join(dirname(path), REQUESTS_FILE), "utf8");
    const [trajectory, bodies] = await Promise.all([
      readFile(path, "utf8"),
      requests.catch((error: unknown) => {
        if (isMissing(error)) return "";
        throw error;
      }),
    ]);
    return { trajectory, requests: bodies };
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new AppError("NOT_FOUND", { userMessage: `The trajectory is gone from ${path}.` });
  }
}

/** Once they are kept elsewhere. What else lies in their folder stays. */
export async function dropSessionFiles(path: string): Promise<void> {
  const folder = dirname(path);
  await Promise.all([path, join(folder, REQUESTS_FILE)].map((file) => rm(file, { force: true })));
  await rmdir(folder).catch(() => undefined);
}
