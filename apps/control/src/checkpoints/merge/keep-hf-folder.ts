import { open, readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "@liverl/durable/atomic-file";

/** Gives a folder its name once every file of it is on disk: nobody ever sees half of it. */
export async function keepHfFolder(staged: string, path: string): Promise<void> {
  for (const entry of await readdir(staged, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = await open(join(staged, entry.name), "r+");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
  await syncDirectory(staged);
  await rename(staged, path);
  await syncDirectory(dirname(path));
  await syncDirectory(dirname(staged));
}
