import { getEventListeners } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RolloutRequest } from "@liverl/contract/rollout";
import { pino } from "pino";
import { expect, test } from "vitest";
import { RolloutClient } from "#trainer/rollout-client.ts";

const requestOf = (i: number): RolloutRequest => ({
  ...{ rolloutId: `a-01.s1.g0.r${i}`, runId: "a-01", groupId: "a-01.s1.g0", taskRef: "repair/1" },
  ...{ mode: "train", step: 1, sampling: { temperature: 1, max_tokens: 64 } },
  ...{ outputs: "all", routedExperts: false },
});

test("requests that wait leave the caller's signal alone, and all end when it fires", async () => {
  const folder = await mkdtemp(join(tmpdir(), "liverl-rollouts-"));
  const tokenPath = join(folder, "token");
  await writeFile(tokenPath, "token");
  const COUNT = 24;
  let waiting = 0;
  let tellAll: () => void = () => undefined;
  const allWait = new Promise<void>((resolve) => {
    tellAll = resolve;
  });
  // A runner whose rollouts are all still going on.
  const runner = createServer(() => {
    if (++waiting === COUNT) tellAll();
  });
  await new Promise<void>((resolve) => runner.listen(0, "127.0.0.1", resolve));
  const address = runner.address();
  const port = typeof address === "object" ? address?.port : 0;
  const client = new RolloutClient(
    { url: `http://127.0.0.1:${port}`, tokenPath },
    pino({ level: "silent" }),
  );
  const over = new AbortController();
  const all = client.runAll(
    Array.from({ length: COUNT }, (_, i) => requestOf(i)),
    over.signal,
  );
  await allWait;
  expect(getEventListeners(over.signal, "abort").length).toBeLessThan(2);
  over.abort();
  await expect(all).rejects.toThrow("nobody asks for it any more");
  runner.closeAllConnections();
  runner.close();
  await client.close();
  await rm(folder, { recursive: true });
});
