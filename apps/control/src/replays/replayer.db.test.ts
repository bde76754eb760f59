import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { StartReplay } from "@liverl/contract/replay";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cancelReplay } from "#replays/cancel-replay.ts";
import { getReplay } from "#replays/get-replay.ts";
import { Replayer } from "#replays/replayer.ts";
import { startReplay } from "#replays/start-replay.ts";
import {
  buildTestContext,
  type TestContext,
  type TestControl,
} from "#testing/build-test-context.ts";
import { addCheckpointedRun } from "#testing/checkpointed-run.ts";
import { startProxy } from "#testing/start-proxy.ts";
import { until } from "#testing/until.ts";

const RUN = "queued";
const CHECKPOINT = { kind: "checkpoint", runId: RUN, step: 8 };
let control: TestControl;
let ctx: TestContext;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let replayer: Replayer;
let rolloutId: string;

/** A stand-in for an engine that has hung: it says that it is well, and answers no request for tokens. */
const silent = createServer((request, response) => {
  if (request.method === "GET") response.end("{}");
});

beforeAll(async () => {
  control = await buildTestContext();
  ctx = { ...control.ctx, wakeDrivers: () => replayer.wake() };
  proxy = await startProxy(ctx.config);
  const run = await addCheckpointedRun(ctx, RUN);
  rolloutId = await run.addRollout(0, {
    ...{ promptIds: [10, 20, 30], tokenIds: [5, 6], logprobs: [-1, -2], version: 1 },
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  replayer = new Replayer(ctx);
  replayer.start();
});
afterAll(async () => {
  await replayer.stop();
  silent.closeAllConnections();
  silent.close();
  await proxy.stop();
  await control.close();
});

const atSilent = (host = "127.0.0.1") => ({
  kind: "engine",
  url: `http://${host}:${(silent.address() as AddressInfo).port}`,
});
const start = (weights: object) =>
  startReplay(ctx, StartReplay.parse({ rolloutId, turn: 1, n: 1, weights }));
const view = (id: string) => getReplay(ctx, { id });
const ended = (id: string) =>
  until(async () => {
    const replay = await view(id);
    return replay.endedAt !== null && replay;
  });
const sampling = (id: string) => until(async () => (await view(id)).status === "sampling");
async function restart(options: ConstructorParameters<typeof Replayer>[1]): Promise<void> {
  await replayer.stop();
  replayer = new Replayer(ctx, options);
  replayer.start();
}

test("only replays on the same engine wait for each other, and each of them can be cancelled", async () => {
  const first = await start(atSilent());
  await sampling(first.id);
  const second = await start(atSilent());
  const other = await start(CHECKPOINT);
  expect(await ended(other.id)).toMatchObject({ status: "done", sampled: 1 });
  expect((await view(first.id)).status).toBe("sampling");
  expect((await view(second.id)).status).toBe("queued");
  await cancelReplay(ctx, second);
  await cancelReplay(ctx, first);
  const third = await start(atSilent());
  // The line moves on: the first one let its engine go.
  await sampling(third.id);
  await cancelReplay(ctx, third);
});

test("one that an engine keeps waiting ends by its limit, in words", async () => {
  await restart({ limitMs: 1_200 });
  const { id } = await start(atSilent());
  expect(await ended(id)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/not done after 0\.02 minutes/),
  });
});

test("a name that leads elsewhere by the time it is connected to is refused", async () => {
  await restart({ resolve: async () => ["169.254.169.254"] });
  const { id } = await start(atSilent("localhost"));
  expect(await ended(id)).toMatchObject({
    status: "failed",
    error: expect.stringContaining("where clouds keep a machine's keys"),
  });
});
