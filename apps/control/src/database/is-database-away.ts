/** Node's, PostgreSQL's (class 57: shutting down, starting up) and Prisma's codes for a server that is not there now. */
const AWAY = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "57P01",
  "57P02",
  "57P03",
  "08006",
  "08003",
  "08001",
  "P1001",
  "P1002",
  "P1008",
  "P1017",
]);
/** Prisma tells a refusal of PostgreSQL that it has no code for as P2039, with PostgreSQL's own code in the text. */
const AWAY_TEXT =
  /Code: `57P0[123]`|Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|ConnectionClosed|Can't reach database|server closed the connection/i;

/** Whether an error only says that the database is restarting, so that trying again later makes sense. */
export function isDatabaseAway(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false;
  const code = "code" in error ? error.code : undefined;
  const syscall = "syscall" in error ? error.syscall : undefined;
  // ENOENT is also what a missing file says: only a socket's connect counts.
  if (code === "ENOENT") return syscall === "connect";
  if (typeof code === "string" && AWAY.has(code)) return true;
  return AWAY_TEXT.test(error.message) || isDatabaseAway(error.cause, depth + 1);
}
