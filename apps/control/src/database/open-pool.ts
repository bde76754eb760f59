import pg from "pg";

const CONNECT_MS = 30_000;

/** Connections that the server may drop at any time, and the process lives on: whoever uses one is told by its query. */
export function openPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, connectionTimeoutMillis: CONNECT_MS });
  // An idle connection: the next query opens a new one.
  pool.on("error", () => undefined);
  // One in the middle of a transaction: the pool does not listen for it then, and unheard it would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}
