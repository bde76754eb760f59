import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ProxyBench } from "#testing/proxy-bench.ts";
import { tokensOfTemplate } from "#testing/tokens-of-template.ts";
import { writeModelFolder } from "#testing/write-model-folder.ts";

let bench: ProxyBench;
beforeAll(async () => {
  bench = await ProxyBench.start();
  for (const name of ["qwen3", "deepseek-v3.1", "gpt-oss", "qwen2.5"]) {
    const path = join(import.meta.dirname, "../testing/templates", `${name}.jinja`);
    const template = await readFile(path, "utf8");
    const modelDir = join(bench.directory, name);
    await writeModelFolder(modelDir, { template, tokens: tokensOfTemplate(name, template) });
    const pool = {
      ...{ engines: bench.engines.map(({ url }) => ({ url })), engineKeyPath: null },
      ...{ modelDir, modelName: name, maxModelLen: 4096 },
    };
    await bench.admin.putPool(name, pool);
    await bench.admin.putPool(`${name}-off`, {
      ...pool,
      templateValues: { enable_thinking: false },
    });
  }
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.engine.seen.length = 0;
  bench.say("ok");
});

const user = { role: "user", content: "hi" };
const NO_THOUGHT = "<|im_start|>assistant\n<think>\n\n</think>\n\n";

async function send(session: OpenedSession, path: string, body: object) {
  const response = await fetch(`${session.baseUrl}/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${session.apiKey}` },
    body: JSON.stringify({ model: "m", max_tokens: 64, ...body }),
  });
  const text = await response.text();
  const ids = bench.engine.seen.at(-1)?.request.token_ids ?? [];
  return { status: response.status, text, ids, ignored: response.headers.get("x-liverl-ignored") };
}

/** The tiny folders share no ids with the bench's own: text by their own vocabulary is what the trajectory's prompt was rendered from. */
async function promptOf(poolId: string, ids: readonly number[]): Promise<string> {
  const { loadRenderer } = await import("#renderer/load-renderer.ts");
  const renderer = await loadRenderer(join(bench.directory, poolId.replace(/-off$/, "")));
  return renderer.decode(ids);
}

it.each<[string, string, object, string]>([
  [
    "chat_template_kwargs",
    "chat/completions",
    { messages: [user], chat_template_kwargs: { enable_thinking: false } },
    "chat_template_kwargs.enable_thinking",
  ],
  ["enable_thinking", "chat/completions", { messages: [user], enable_thinking: false }, ""],
  ["reasoning_effort none", "chat/completions", { messages: [user], reasoning_effort: "none" }, ""],
  ["Anthropic's thinking", "messages", { messages: [user], thinking: { type: "disabled" } }, ""],
  ["reasoning.effort none", "responses", { input: [user], reasoning: { effort: "none" } }, ""],
  [
    "chat_template_kwargs in responses",
    "responses",
    { input: [user], chat_template_kwargs: { enable_thinking: false } },
    "",
  ],
])("a request turns thought off by %s", async (_, path, body) => {
  const session = await bench.openSession({ poolId: "qwen3", sampling: null });
  const { status, text, ids, ignored } = await send(session, path, body);
  expect(status, text).toBe(200);
  expect(await promptOf("qwen3", ids)).toContain(NO_THOUGHT);
  expect(ignored).toBeNull();
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls[0]!.templateValues).toEqual({ enable_thinking: false });
});

it("a session's and a pool's values hold for every call, and win over a request's", async () => {
  const kwargs = { chat_template_kwargs: { enable_thinking: true } };
  for (const session of [
    await bench.openSession({ poolId: "qwen3", templateValues: { enable_thinking: false } }),
    await bench.openSession({ poolId: "qwen3-off" }),
  ]) {
    const plain = await send(session, "chat/completions", { messages: [user] });
    expect(await promptOf("qwen3", plain.ids)).toContain(NO_THOUGHT);
    const asked = await send(session, "chat/completions", { messages: [user, user], ...kwargs });
    expect(asked.ignored).toBe("chat_template_kwargs.enable_thinking");
    expect(await promptOf("qwen3", asked.ids)).toContain(NO_THOUGHT);
    const { trajectory } = await bench.complete(session.sessionId);
    expect(trajectory.calls[1]!.templateValues).toEqual({ enable_thinking: false });
    expect(trajectory.calls[1]!.requested).toMatchObject(kwargs);
  }
});

it("a conversation whose values change starts a root, and goes on by its ids where they stay", async () => {
  const session = await bench.openSession({ poolId: "qwen3" });
  const off = { chat_template_kwargs: { enable_thinking: false } };
  const history = [user, { role: "assistant", content: "ok" }, { role: "user", content: "more" }];
  await send(session, "chat/completions", { messages: [user], ...off });
  await send(session, "chat/completions", { messages: history, ...off });
  await send(session, "chat/completions", { messages: history });
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls.map(({ kind, fork }) => `${kind} ${fork?.reason ?? "-"}`)).toEqual([
    "main -",
    "main -",
    "main template-changed",
  ]);
  expect(trajectory.segments.every(({ trainable }) => trainable)).toBe(true);
});

it.each([
  [
    "qwen2.5",
    { chat_template_kwargs: { enable_thinking: false } },
    "chat_template_kwargs.enable_thinking",
  ],
  ["qwen3", { chat_template_kwargs: { unheard_of: 1 } }, "chat_template_kwargs.unheard_of"],
  ["qwen3", { chat_template_kwargs: { messages: "x" } }, "chat_template_kwargs.messages"],
  ["qwen3", { reasoning_effort: "high" }, "reasoning_effort"],
])("what %s's template does not read is named: %j", async (poolId, body, name) => {
  const session = await bench.openSession({ poolId });
  const { status, ignored } = await send(session, "chat/completions", {
    messages: [user],
    ...body,
  });
  expect(status).toBe(200);
  expect(ignored).toBe(name);
});

it.each([
  ["deepseek-v3.1", { chat_template_kwargs: { thinking: true } }, "<｜Assistant｜><think>"],
  ["gpt-oss", { reasoning_effort: "high" }, "Reasoning: high"],
])("%s's own variable is set: %j", async (poolId, body, text) => {
  const session = await bench.openSession({ poolId });
  const { status, ids, ...answer } = await send(session, "chat/completions", {
    messages: [user],
    ...body,
  });
  expect(status, answer.text).toBe(200);
  expect(await promptOf(poolId, ids)).toContain(text);
});

it("refuses values that are no scalars, by their place", async () => {
  const session = await bench.openSession({ poolId: "qwen3" });
  const { status, text } = await send(session, "chat/completions", {
    messages: [user],
    chat_template_kwargs: { enable_thinking: [1] },
  });
  expect(status).toBe(400);
  expect(text).toContain('"param":"chat_template_kwargs.enable_thinking"');
});
