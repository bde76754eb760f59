import { setTimeout as sleep } from "node:timers/promises";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
beforeAll(async () => {
  bench = await ProxyBench.start({ maxModelLen: 200_000 });
  bench.say("ok");
});
afterAll(() => bench.stop());

const MB = 1024 * 1024;
const message = '{"role":"user","content":"a"}';
const repeat = (text: string, count: number) => Array(count).fill(text).join(",");
/** Bodies of many small values in each dialect, and in each place where a list or an object may stand. */
const ATTACKS: [name: string, path: string, body: string][] = [
  ["messages", "/chat/completions", `{"model":"x","messages":[${repeat(message, 400_000)}]}`],
  ["input items", "/responses", `{"model":"x","input":[${repeat(message, 400_000)}]}`],
  ["Anthropic messages", "/messages", `{"max_tokens":9,"messages":[${repeat(message, 400_000)}]}`],
  ["messages to count", "/messages/count_tokens", `{"messages":[${repeat(message, 400_000)}]}`],
  [
    "content parts",
    "/chat/completions",
    `{"messages":[{"role":"user","content":[${repeat('{"type":"text","text":"a"}', 400_000)}]}]}`,
  ],
  [
    "tools",
    "/chat/completions",
    `{"messages":[${message}],"tools":[${repeat('{"type":"function","function":{"name":"a"}}', 200_000)}]}`,
  ],
  [
    "keys of metadata",
    "/chat/completions",
    `{"metadata":{${Array.from({ length: 400_000 }, (_, i) => `"k${i}":1`).join(",")}},"messages":[${message}]}`,
  ],
  [
    "fields",
    "/chat/completions",
    `{${Array.from({ length: 400_000 }, (_, i) => `"k${i}":1`).join(",")},"messages":[${message}]}`,
  ],
  ["numbers", "/responses", `{"input":[${repeat("1", 4_000_000)}]}`],
  ["nesting", "/chat/completions", `{"messages":[${"[".repeat(4 * MB)}]}`],
  ["one field again and again", "/chat/completions", `{${repeat('"messages":[1]', 400_000)}}`],
];

const post = ({ baseUrl, apiKey }: OpenedSession, path: string, body: string) =>
  fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body,
  });

/** The longest that another session waits for `GET models` while `attack` runs, in ms. */
async function longestWait(attack: () => Promise<unknown>): Promise<number> {
  const { baseUrl, apiKey } = await bench.openSession();
  let longest = 0;
  let isOver = false;
  const asked = (async () => {
    while (!isOver) {
      const before = performance.now();
      const answer = await fetch(`${baseUrl}/models`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      await answer.arrayBuffer();
      longest = Math.max(longest, performance.now() - before);
      await sleep(5);
    }
  })();
  await attack().finally(() => {
    isOver = true;
  });
  await asked;
  return longest;
}

it.each(ATTACKS)(
  "many %s of one session are refused before they are work",
  async (_, path, body) => {
    const session = await bench.openSession();
    const before = process.cpuUsage();
    const answers: { status: number; text: string }[] = [];
    const waited = await longestWait(async () => {
      const answer = await post(session, path, body);
      answers.push({ status: answer.status, text: await answer.text() });
    });
    const { user } = process.cpuUsage(before);
    expect(answers[0]?.status, answers[0]?.text).toBe(400);
    expect(answers[0]?.text).toMatch(/more than|nested|must be an object with a role/);
    // The sender and the other session are in this process, too.
    expect(user / 1_000).toBeLessThan(1_500);
    expect(waited).toBeLessThan(500);
  },
);

it("the largest conversation that is taken lets others pass", async () => {
  const session = await bench.openSession();
  const body = `{"model":"x","messages":[${repeat(message, 10_000)}]}`;
  const statuses: number[] = [];
  const waited = await longestWait(async () => {
    statuses.push((await post(session, "/chat/completions", body)).status);
  });
  expect(statuses).toEqual([200]);
  expect(waited).toBeLessThan(500);
});

it("refused requests and token counts have a budget, and cost nothing after it", async () => {
  const session = await bench.openSession({ maxCalls: 3 });
  const bad = `{"messages":[${repeat("1", 20_000)}]}`;
  for (let i = 0; i < 2; i++)
    expect((await post(session, "/chat/completions", bad)).status).toBe(400);
  expect((await post(session, "/messages/count_tokens", `{"messages":[${message}]}`)).status).toBe(
    200,
  );
  const refused = await post(session, "/chat/completions", `{"messages":[${message}]}`);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("used up");
  const other = await bench.openSession({ maxCalls: 3 });
  expect((await postChat(other, { messages: [{ role: "user", content: "a" }] })).status).toBe(200);
});
