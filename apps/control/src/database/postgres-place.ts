import { createHash } from "node:crypto";
import { chown, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { z } from "zod";
import { isReachable } from "#database/postgres-binaries.ts";
import type { PostgresUser } from "#database/postgres-user.ts";

const PostgresPlace = z.object({ data: z.string(), socket: z.string() });
/** Folders of PostgreSQL's files and of its unix socket. */
export type PostgresPlace = z.infer<typeof PostgresPlace>;

/** sockaddr_un holds 108 bytes with the closing NUL, and PostgreSQL appends `/.s.PGSQL.5432`. */
const SOCKET_PATH_BYTES = 107 - "/.s.PGSQL.5432".length;

/** Decided once and recorded in `D/postgres.json`: a move of the checkout must not lose the database silently. */
export async function postgresPlace(
  dataDir: string,
  user: PostgresUser | null,
): Promise<PostgresPlace> {
  const record = join(dataDir, "postgres.json");
  const known = await readJson(record, PostgresPlace);
  const place = known ?? (await choosePlace(dataDir, user));
  for (const directory of new Set([dirname(place.data), place.socket])) {
    if (directory === dataDir) continue;
    await mkdir(directory, { recursive: true, mode: directory === place.socket ? 0o700 : 0o755 });
    if (user && directory === place.socket) await chown(directory, user.uid, user.gid);
  }
  if (!known) await writeFileAtomic(record, JSON.stringify(place));
  return place;
}

async function choosePlace(dataDir: string, user: PostgresUser | null): Promise<PostgresPlace> {
  const digest = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const data =
    !user || (await isReachable(join(dataDir, "postgres")))
      ? join(dataDir, "postgres")
      : `/var/lib/liverl/${digest}/postgres`;
  const beside = join(dirname(data), "postgres-socket");
  const socket = Buffer.byteLength(beside) <= SOCKET_PATH_BYTES ? beside : `/tmp/liverl-${digest}`;
  return { data, socket };
}
