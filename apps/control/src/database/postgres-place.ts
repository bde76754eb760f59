import { createHash } from "node:crypto";
import { access, chown, mkdir } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { makeOpenDirectory } from "@liverl/durable/make-directory";
import { z } from "zod";
import { isReachable } from "#database/postgres-binaries.ts";
import type { PostgresUser } from "#database/postgres-user.ts";

/** Folders of PostgreSQL's files and of its unix socket. */
export interface PostgresPlace {
  data: string;
  socket: string;
}

/** What `D/postgres.json` holds: where the files are, seen from D where they lie in it. */
const PlaceRecord = z.object({ data: z.string() });

/** sockaddr_un holds 108 bytes with the closing NUL, and PostgreSQL appends `/.s.PGSQL.5432`. */
const SOCKET_PATH_BYTES = 107 - "/.s.PGSQL.5432".length;
/** For data directories on the way to which root lets nobody through. */
const OUTSIDE = "/var/lib/liverl";

const recordPath = (dataDir: string) => join(dataDir, "postgres.json");
const digestOf = (dataDir: string) =>
  createHash("sha256").update(dataDir).digest("hex").slice(0, 16);

/** Where the database is, or will be made. A recorded one that is gone must not be replaced by an empty one silently. */
export async function findPlace(
  dataDir: string,
  user: PostgresUser | null,
): Promise<PostgresPlace> {
  const record = recordPath(dataDir);
  const known = await readJson(record, PlaceRecord);
  const data = known ? recordedData(dataDir, known.data) : await chooseData(dataDir, user);
  if (known && !(await isCluster(data)))
    throw new Error(
      `${record} says that the database is in ${data}, and there is none: put it back, or delete ${record} to begin with an empty one`,
    );
  const beside = join(dirname(data), "postgres-socket");
  const socket =
    Buffer.byteLength(beside) <= SOCKET_PATH_BYTES ? beside : `/tmp/liverl-${digestOf(dataDir)}`;
  if (dirname(data) !== dataDir)
    for (const folder of [dirname(dirname(data)), dirname(data)]) await makeOpenDirectory(folder);
  await mkdir(socket, { recursive: true, mode: 0o700 });
  if (user) await chown(socket, user.uid, user.gid);
  return { data, socket };
}

/** Records the place once the database is there. Inside the data directory it is relative, so that both move together. */
export async function recordPlace(dataDir: string, { data }: PostgresPlace): Promise<void> {
  const inside = relative(dataDir, data);
  const text = JSON.stringify({ data: inside.startsWith("..") ? data : inside });
  await writeFileAtomic(recordPath(dataDir), text);
}

/** An absolute place that is neither in this data directory nor ours outside is of a time before the directory moved. */
function recordedData(dataDir: string, recorded: string): string {
  const moved =
    isAbsolute(recorded) &&
    relative(dataDir, recorded).startsWith("..") &&
    !recorded.startsWith(`${OUTSIDE}/`);
  return moved ? join(dataDir, "postgres") : resolve(dataDir, recorded);
}

async function chooseData(dataDir: string, user: PostgresUser | null): Promise<string> {
  const inside = join(dataDir, "postgres");
  return !user || (await isReachable(inside, user))
    ? inside
    : `${OUTSIDE}/${digestOf(dataDir)}/postgres`;
}

/** Whether `initdb` came to its end there: a half-made cluster lies under another name. */
export function isCluster(data: string): Promise<boolean> {
  return access(join(data, "PG_VERSION")).then(
    () => true,
    () => false,
  );
}
