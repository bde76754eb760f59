import { execFile } from "node:child_process";
import { chown, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { isCluster, type PostgresPlace } from "#database/postgres-place.ts";
import type { PostgresUser } from "#database/postgres-user.ts";
import { childEnv } from "#env.ts";

const execute = promisify(execFile);
/** One sync of the file system instead of a thousand of files: the difference is minutes on a slow disk. */
const SYNC = process.platform === "linux" ? ["--sync-method=syncfs"] : [];

/** Makes the database cluster if there is none. A half-made one, from a crash, is made anew: it holds nothing yet. */
export async function prepareCluster(
  binaries: string,
  place: PostgresPlace,
  user: PostgresUser | null,
  signal?: AbortSignal,
): Promise<void> {
  if (await isCluster(place.data)) return;
  const draft = `${place.data}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  if (user) await chown(draft, user.uid, user.gid);
  // Trust is enough: there is no TCP port, and the socket's folder is closed to other users.
  await execute(
    join(binaries, "bin/initdb"),
    [
      "-D",
      draft,
      "-U",
      "postgres",
      "--auth=trust",
      "--encoding=UTF8",
      "--locale=C",
      "--no-instructions",
      ...SYNC,
    ],
    { env: { ...childEnv(), LC_ALL: "C" }, cwd: "/", signal, ...(user ?? {}) },
  );
  await rename(draft, place.data);
}

/**
 * Who may connect. Started by root, PostgreSQL is nobody's, and so may be other programs: then only root's own processes are
 * let in, by what the kernel says of the peer. Else the socket's folder lets in nobody but the user that LiveRL runs as.
 */
export async function closeCluster(
  { data }: PostgresPlace,
  user: PostgresUser | null,
): Promise<void> {
  if (user === null) return;
  const files = {
    "pg_hba.conf": "local all postgres peer map=liverl\n",
    "pg_ident.conf": "liverl root postgres\n",
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(data, name);
    await writeFileAtomic(path, text, { mode: 0o600 });
    await chown(path, user.uid, user.gid);
  }
}

/** Removes lock files of a server that is gone. PostgreSQL does so itself unless another program has taken the old pid. */
export async function clearStaleLocks(place: PostgresPlace): Promise<void> {
  const locks = [join(place.data, "postmaster.pid"), join(place.socket, ".s.PGSQL.5432.lock")];
  for (const lock of locks) {
    const text = await readFile(lock, "utf8").catch(() => null);
    if (text === null) continue;
    const pid = Number.parseInt(text, 10);
    const command = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
    if (command.trim() === "postgres") continue;
    await rm(lock, { force: true });
    await rm(lock.replace(/\.lock$/, ""), { force: true });
  }
}
