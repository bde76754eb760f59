import { chmod, chown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "@liverl/durable/make-directory";
import { postgresUser } from "#database/postgres-user.ts";

/** Of PostgreSQL's own user where that is another. */
const OF_POSTGRES = /^postgres(?:$|-|\.)/;

/**
 * Makes the data directory, closes it to other users, and lets this process and all that it starts make files for this user
 * alone. One that was open before is closed, with what lies in it. Where root starts LiveRL, PostgreSQL's user may pass
 * through it to its own folder, and sees nothing else.
 */
export async function closeDataDir(dataDir: string): Promise<void> {
  await makeDirectory(dataDir);
  process.umask(0o077);
  const user = await postgresUser().catch(() => null);
  if (user) await chown(dataDir, 0, user.gid);
  await chmod(dataDir, user ? 0o710 : 0o700);
  for (const name of await readdir(dataDir)) {
    if (OF_POSTGRES.test(name) && name !== "postgres.json") continue;
    const path = join(dataDir, name);
    const entry = await lstat(path);
    const isOurs = entry.uid === process.getuid?.() && !entry.isSymbolicLink();
    if (isOurs && (entry.mode & 0o077) !== 0) await chmod(path, entry.mode & 0o700);
  }
}
