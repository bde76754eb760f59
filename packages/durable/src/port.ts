import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { isMissing, writeFileAtomic } from "#atomic-file.ts";

/** Whether nothing listens on the port of the loopback interface; 0 asks for any. Resolves to the port, or null where it is in use; rejects where it can not be had at all. */
export function probePort(port: number, host = "127.0.0.1"): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === "object" && address ? address.port : null;
      server.close(() => resolve(bound));
    });
  });
}

/**
 * A port chosen once and kept in a file, so that a restarted process is found where it was.
 * Call it right before listening: if a stranger holds the port by then, a new one is chosen.
 */
export async function keepPort(path: string, preferred?: number): Promise<number> {
  const kept = await readFile(path, "utf8").then(
    (text) => Number(text.trim()),
    (error) => {
      if (isMissing(error)) return Number.NaN;
      throw error;
    },
  );
  for (const candidate of [kept, preferred ?? 0, 0]) {
    if (!Number.isInteger(candidate) || candidate < 0 || candidate > 65_535) continue;
    // A kept port that needs rights is of no more use than one that is taken.
    const port = await probePort(candidate).catch(() => null);
    if (port === null) continue;
    if (port !== kept) await writeFileAtomic(path, `${port}\n`);
    return port;
  }
  throw new Error("no free port on 127.0.0.1");
}
