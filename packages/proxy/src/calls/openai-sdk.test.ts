import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ProxyBench } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let client: OpenAI;
let sessionId: string;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  bench.engine.seen.length = 0;
  const opened = await bench.openSession();
  sessionId = opened.sessionId;
  client = new OpenAI({ baseURL: opened.baseUrl, apiKey: opened.apiKey });
});

const tools: OpenAI.Chat.ChatCompletionTool[] = [
  {
    type: "function",
    function: {
      name: "edit",
      description: "Edit.",
      parameters: { type: "object", properties: { line: { type: "integer" } } },
    },
  },
];
const CALL =
  'Let me see.\n<tool_call>\n{"name": "edit", "arguments": {"line": 2, "code": "é"}}\n</tool_call>';
const user: OpenAI.Chat.ChatCompletionMessageParam = { role: "user", content: "Fix it" };

it("carries a conversation with tools", async () => {
  bench.say(CALL, "Done.");
  const first = await client.chat.completions.create({ model: "tiny", messages: [user], tools });
  const { message, finish_reason } = first.choices[0]!;
  expect(finish_reason).toBe("tool_calls");
  expect(message.content).toBe("Let me see.");
  const [call] = message.tool_calls!;
  expect(call).toMatchObject({
    type: "function",
    function: { name: "edit", arguments: '{"line": 2, "code": "é"}' },
  });
  const second = await client.chat.completions.create({
    model: "tiny",
    messages: [user, message, { role: "tool", tool_call_id: call!.id, content: "ok" }],
    tools,
  });
  expect(second.choices[0]!.message.content).toBe("Done.");
  const { trajectory } = await bench.complete(sessionId);
  expect(trajectory.segments).toHaveLength(1);
  expect(trajectory.calls.map((ended) => ended.fork)).toEqual([null, null]);
});

it("streams the same answer, with usage, and the next turn extends it", async () => {
  bench.say(CALL, "Done.");
  const stream = client.chat.completions.stream({
    model: "tiny",
    messages: [user],
    tools,
    stream_options: { include_usage: true },
  });
  const streamed = await stream.finalChatCompletion();
  const { message } = streamed.choices[0]!;
  expect(message).toMatchObject({ role: "assistant", content: "Let me see." });
  expect(message.tool_calls![0]).toMatchObject({
    function: { name: "edit", arguments: '{"line": 2, "code": "é"}' },
  });
  expect(streamed.choices[0]!.finish_reason).toBe("tool_calls");
  expect(streamed.usage!.completion_tokens).toBe(bench.turnIds(CALL).length);
  const next = await client.chat.completions.create({
    model: "tiny",
    messages: [
      user,
      message,
      { role: "tool", tool_call_id: message.tool_calls![0]!.id, content: "ok" },
    ],
    tools,
  });
  expect(next.choices[0]!.message.content).toBe("Done.");
  expect((await bench.complete(sessionId)).trajectory.segments).toHaveLength(1);
});

it("case 19: nothing of a streamed turn leaves before its node is durable, and heartbeats fill the wait", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("slow"), delayMs: 20 }));
  const response = await fetch(`${client.baseURL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${client.apiKey}` },
    body: JSON.stringify({ messages: [user], stream: true }),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toMatch(/^:/);
  const { value } = await reader.read();
  expect(bench.engine.seen[0]!.sent).toHaveLength(bench.turnIds("slow").length);
  expect(value).toContain("slow");
  expect(value!.trimEnd().endsWith("data: [DONE]")).toBe(true);
});

it("lists the model and raises the SDK's own errors", async () => {
  bench.say("ok");
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["tiny"]);
  const wrong = new OpenAI({ baseURL: client.baseURL, apiKey: "wrong", maxRetries: 0 });
  await expect(
    wrong.chat.completions.create({ model: "tiny", messages: [user] }),
  ).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  await expect(
    client.chat.completions.create({ model: "tiny", messages: [] }),
  ).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  const unknown = new OpenAI({
    baseURL: client.baseURL.replace(sessionId, "nobody"),
    apiKey: "x",
    maxRetries: 0,
  });
  await expect(unknown.models.list()).rejects.toBeInstanceOf(OpenAI.NotFoundError);
});

it.each([false, true])(
  "gives prompt ids, sampled ids and log-probs to who asks as of vLLM, streamed: %s",
  async (stream) => {
    bench.say("Hé");
    const response = await fetch(`${client.baseURL}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.apiKey}` },
      body: JSON.stringify({
        messages: [user],
        ...{ stream, logprobs: true, return_token_ids: true, session_id: "x" },
      }),
    });
    const text = await response.text();
    const chunks = stream
      ? text
          .split("\n")
          .filter((line) => line.startsWith("data: {"))
          .map((line) => JSON.parse(line.slice(6)))
      : [JSON.parse(text)];
    const [seen] = bench.engine.seen;
    const prompts = chunks.flatMap((chunk) => chunk.prompt_token_ids ?? []);
    expect(prompts).toEqual(seen!.request.token_ids);
    expect(chunks.flatMap((chunk) => chunk.choices[0]?.token_ids ?? [])).toEqual(seen!.sent);
    const logprobs = chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? []);
    expect(logprobs.map((entry) => entry.logprob)).toEqual(
      seen!.sent.map((_, i) => -0.5 - i / 100),
    );
    expect(Buffer.from(logprobs.flatMap((entry) => entry.bytes)).toString()).toBe("Hé<|im_end|>");
  },
);
