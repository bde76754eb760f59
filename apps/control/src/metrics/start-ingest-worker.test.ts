import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startIngestWorker } from "#metrics/start-ingest-worker.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "ingest-worker-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test("a thread that died refuses calls, reports a refresh as trouble, and closes", async () => {
  const script = join(directory, "dies.mjs");
  await writeFile(
    script,
    `import { parentPort } from "node:worker_threads";
parentPort.on("message", () => { throw new Error("out of memory"); });
parentPort.postMessage({ kind: "ready" });`,
  );
  const deaths: string[] = [];
  const troubles: string[] = [];
  const ingest = await startIngestWorker(
    script,
    { databaseUrl: "", directory },
    {
      onFold: () => undefined,
      onTrouble: (what, message) => troubles.push(`${what}: ${message}`),
      onDeath: (error) => deaths.push(error.message),
    },
  );
  await expect(ingest.append("run-01", [])).rejects.toThrow("out of memory");
  await expect(ingest.readBacklog("run-01", 0)).rejects.toThrow("out of memory");
  ingest.refresh();
  await vi.waitFor(() =>
    expect(troubles).toEqual(["looking for new metrics files: out of memory"]),
  );
  await ingest.close();
  expect(deaths).toEqual(["out of memory"]);
});
