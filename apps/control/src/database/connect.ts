import { PrismaClient } from "@liverl/prisma/client";
import { migrate, readMigrations } from "@liverl/prisma/migrate";
import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { openPool } from "#database/open-pool.ts";

export interface Connection {
  db: PrismaClient;
  pool: pg.Pool;
  close(): Promise<void>;
}

/** Brings the schema up to date and opens the pool of those who ask over the network. */
export async function connect(url: string, migrations: string): Promise<Connection> {
  const connection = openConnection(url, 8);
  const client = await connection.pool.connect();
  try {
    await migrate(client, await readMigrations(migrations));
  } finally {
    client.release();
  }
  return connection;
}

/** Opens one pool that the Prisma client shares. */
export function openConnection(url: string, most: number): Connection {
  const pool = openPool(url, most);
  const db = new PrismaClient({
    adapter: new PrismaPg(pool, {
      onPoolError: () => undefined,
      onConnectionError: () => undefined,
    }),
  });
  return {
    db,
    pool,
    close: async () => {
      await db.$disconnect();
      await pool.end();
    },
  };
}
