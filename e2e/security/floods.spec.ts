import { WebSocket } from "ws";
import { attempt, test, tokenOf } from "#fixtures/attacker.ts";
import { expect, type LiveRL } from "#fixtures/liverl.ts";

const QUERIES = 20_000;

/** Sends `count` queries on one socket at once; resolves once all are sent. `answered` counts the answers. */
async function flood(liverl: LiveRL, token: string, count: number) {
  const socket = new WebSocket(`${liverl.url.replace("http", "ws")}/trpc`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  const state = { answered: 0, refused: 0, socket };
  socket.on("message", (data) => {
    const message = String(data);
    state.answered += 1;
    if (message.includes('"error"')) state.refused += 1;
  });
  for (let id = 0; id < count; id++)
    socket.send(JSON.stringify({ id, method: "query", params: { path: "run.list", input: {} } }));
  return state;
}

test("20,000 queries on one WebSocket hold up nobody else, and are answered in their turn", async ({
  liverl,
}) => {
  test.setTimeout(180_000);
  const state = await flood(liverl, await tokenOf(liverl, "read"), QUERIES);
  const other = await tokenOf(liverl, "read");
  const waits: { health: number; list: number }[] = [];
  for (let i = 0; i < 10; i++) {
    const began = performance.now();
    expect((await attempt(liverl, "/healthz")).status).toBe(200);
    const health = performance.now() - began;
    const list = await attempt(liverl, "/api/v1/run/list", { token: other });
    expect(list.status, list.text).toBe(200);
    waits.push({ health, list: performance.now() - began - health });
  }
  process.stderr.write(
    `${JSON.stringify(waits.map(({ health, list }) => [health, list].map(Math.round)))}\n`,
  );
  expect(Math.max(...waits.map(({ health }) => health))).toBeLessThan(3_000);
  expect(Math.max(...waits.map(({ list }) => list))).toBeLessThan(5_000);
  expect(state.answered).toBeGreaterThan(0);
  expect(state.refused).toBe(0);
  state.socket.terminate();
});

test("subscriptions of one socket are bounded", async ({ liverl }) => {
  const token = await tokenOf(liverl, "read");
  const socket = new WebSocket(`${liverl.url.replace("http", "ws")}/trpc`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await new Promise((resolve) => socket.once("open", resolve));
  const refusals = new Promise<number>((resolve) => {
    let refused = 0;
    let all = 0;
    socket.on("message", (data) => {
      all += 1;
      if (String(data).includes("TOO_MANY_REQUESTS")) refused += 1;
      if (all >= 300) resolve(refused);
    });
  });
  for (let id = 0; id < 300; id++)
    socket.send(
      JSON.stringify({ id, method: "subscription", params: { path: "run.live", input: {} } }),
    );
  expect(await refusals).toBeGreaterThanOrEqual(100);
  socket.terminate();
});
