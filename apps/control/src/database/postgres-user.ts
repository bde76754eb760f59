import { readFile } from "node:fs/promises";

export interface PostgresUser {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses root: then `nobody` runs it. Null when we are somebody else, who may run it. */
export async function postgresUser(): Promise<PostgresUser | null> {
  if (process.getuid?.() !== 0) return null;
  const line = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .find((entry) => entry.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (!uid || !gid)
    throw new Error(
      "PostgreSQL does not run as root, and this machine has no user `nobody`: start LiveRL as another user, or set DATABASE_URL",
    );
  return { uid: Number(uid), gid: Number(gid) };
}
