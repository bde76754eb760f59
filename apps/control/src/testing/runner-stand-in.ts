import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const TOKEN = "runner-stand-in-token";

/** Stands in for the trial runner's admin port: answers each path with what a test sets, 404 else. */
export async function startRunnerStandIn(
  dataDir: string,
  answers: ReadonlyMap<string, unknown>,
): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
    const answer = answers.get(request.url ?? "");
    const status = !isKnown ? 401 : answer === undefined ? 404 : 200;
    const missing = {
      error: { code: "NOT_FOUND", message: `There is nothing at ${request.url}.` },
    };
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(status === 200 ? answer : missing));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await mkdir(join(dataDir, "runner"), { recursive: true });
  await writeFile(join(dataDir, "runner", "port"), `${port}\n`);
  await writeFile(join(dataDir, "runner", "admin.token"), `${TOKEN}\n`);
  return {
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
