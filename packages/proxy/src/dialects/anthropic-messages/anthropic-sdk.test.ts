import Anthropic from "@anthropic-ai/sdk";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ProxyBench } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
let client: Anthropic;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  bench.engine.seen.length = 0;
  session = await bench.openSession();
  client = clientOf(session);
});

const clientOf = ({ baseUrl, apiKey }: OpenedSession) =>
  new Anthropic({ baseURL: baseUrl.replace(/\/v1$/, ""), apiKey, maxRetries: 0 });
const promptOf = (index: number) => bench.engine.seen[index]!.request.token_ids;
const heldBy = (index: number) => [...promptOf(index), ...bench.engine.seen[index]!.sent];
const textOf = (index: number) => bench.renderer.decode(promptOf(index));

const tools: Anthropic.Tool[] = [
  {
    name: "edit",
    description: "Edit.",
    input_schema: { type: "object", properties: { line: { type: "integer" } } },
  },
];
const CALL =
  'Let me see.\n<tool_call>\n{"name": "edit", "arguments": {"line": 2, "code": "é"}}\n</tool_call>';
const ask = { model: "tiny", max_tokens: 200, tools };
const user: Anthropic.MessageParam = { role: "user", content: "Fix it" };

it("carries a conversation with tools, and its next turn extends what was sampled", async () => {
  bench.say(CALL, "Done.");
  const first = await client.messages.create({ ...ask, messages: [user] });
  expect(first).toMatchObject({
    type: "message",
    role: "assistant",
    stop_reason: "tool_use",
    content: [
      { type: "text", text: "Let me see." },
      { type: "tool_use", name: "edit", input: { line: 2, code: "é" } },
    ],
    usage: { input_tokens: promptOf(0).length, output_tokens: bench.turnIds(CALL).length },
  });
  const call = first.content.find((block) => block.type === "tool_use")!;
  const second = await client.messages.create({
    ...ask,
    system: "",
    messages: [
      user,
      { role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "ok" }] },
    ],
  });
  expect(second.content).toEqual([{ type: "text", text: "Done." }]);
  expect(second.stop_reason).toBe("end_turn");
  expect(promptOf(1).slice(0, heldBy(0).length)).toEqual(heldBy(0));
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls.map(({ dialect, fork }) => [dialect, fork])).toEqual([
    ["anthropic-messages", null],
    ["anthropic-messages", null],
  ]);
});

it("streams the same message event by event", async () => {
  bench.say(CALL);
  const stream = client.messages.stream({ ...ask, messages: [user] });
  const kinds: string[] = [];
  for await (const event of stream) kinds.push(event.type);
  const message = await stream.finalMessage();
  expect(message).toMatchObject({
    stop_reason: "tool_use",
    content: [
      { type: "text", text: "Let me see." },
      { type: "tool_use", name: "edit", input: { line: 2, code: "é" } },
    ],
    usage: { input_tokens: promptOf(0).length, output_tokens: bench.turnIds(CALL).length },
  });
  expect(kinds[0]).toBe("message_start");
  expect(kinds.slice(-2)).toEqual(["message_delta", "message_stop"]);
});

it("case 07: results of parallel calls in one user message are messages of their own, as they arrive", async () => {
  const two = ["1", "2"]
    .map((line) => `<tool_call>\n{"name": "edit", "arguments": {"line": ${line}}}\n</tool_call>`)
    .join("\n");
  bench.say(two, "Done.");
  const first = await client.messages.create({ ...ask, messages: [user] });
  const [one, other] = first.content.filter((block) => block.type === "tool_use");
  const results = [other!, one!].map((call, i) => ({
    type: "tool_result" as const,
    tool_use_id: call.id,
    content: [{ type: "text" as const, text: `result ${i}` }],
  }));
  const text = { type: "text" as const, text: "And now?" };
  await client.messages.create({
    ...ask,
    messages: [
      user,
      { role: "assistant", content: first.content },
      { role: "user", content: [...results, text] },
    ],
  });
  expect(textOf(1).slice(textOf(0).length)).toContain(
    "<tool_response>\nresult 0\n</tool_response>\n<tool_response>\nresult 1\n</tool_response><|im_end|>\n<|im_start|>user\nAnd now?",
  );
});

it("case 12: the billing block that differs per conversation is no part of the prompt", async () => {
  bench.say("ok");
  for (const suffix of ["294", "295"]) {
    await client.messages.create({
      ...ask,
      system: [
        { type: "text", text: `x-anthropic-billing-header: cc_version=2.1.329.${suffix}; cch=1;` },
        { type: "text", text: "Be brief." },
      ],
      messages: [user],
    });
  }
  expect(promptOf(1)).toEqual(promptOf(0));
  expect(textOf(0)).not.toContain("billing");
});

it("case 13: cache marks that move change nothing", async () => {
  bench.say("A", "B", "C");
  const marked = (text: string): Anthropic.MessageParam => ({
    role: "user",
    content: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
  });
  const said = (content: string): Anthropic.MessageParam => ({ role: "assistant", content });
  await client.messages.create({ ...ask, messages: [marked("one")] });
  await client.messages.create({
    ...ask,
    messages: [{ role: "user", content: "one" }, said("A"), marked("two")],
  });
  await client.messages.create({
    ...ask,
    messages: [
      { role: "user", content: [{ type: "text", text: "one" }] },
      said("A"),
      { role: "user", content: "two" },
      said("B"),
      marked("three"),
    ],
  });
  expect(promptOf(1).slice(0, heldBy(0).length)).toEqual(heldBy(0));
  expect(promptOf(2).slice(0, heldBy(1).length)).toEqual(heldBy(1));
});

it("case 14: a system message in the middle stands at its place, and one that moves forks", async () => {
  bench.say("A", "B", "C");
  const reminder = { role: "system", content: "A file changed." } as never;
  const first: Anthropic.MessageParam[] = [user, { role: "assistant", content: "A" }];
  await client.messages.create({ ...ask, messages: [user] });
  await client.messages.create({
    ...ask,
    messages: [...first, reminder, { role: "user", content: "go on" }],
  });
  expect(textOf(1)).toMatch(/A<\|im_end\|>\n[\s\S]*A file changed\.[\s\S]*go on/);
  expect(promptOf(1).slice(0, heldBy(0).length)).toEqual(heldBy(0));
  await client.messages.create({
    ...ask,
    messages: [
      ...first,
      { role: "user", content: "go on" },
      { role: "assistant", content: "B" },
      { role: "user", content: "and on" },
    ],
  });
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls[1]!.fork).toBeNull();
  expect(trajectory.calls[2]!.fork).not.toBeNull();
  expect(trajectory.segments).toHaveLength(2);
});

it("case 22: a turn's thinking is signed, and may come back, be dropped or be redacted", async () => {
  bench.say("<think>\nhm\n</think>\n\nYes.", "ok");
  const first = await client.messages.create({ ...ask, messages: [user] });
  const more: Anthropic.MessageParam = { role: "user", content: "Sure?" };
  const text = first.content.filter((block) => block.type === "text");
  const redacted: Anthropic.ContentBlockParam = { type: "redacted_thinking", data: "x" };
  for (const content of [first.content, text, [redacted, ...text]])
    await client.messages.create({
      ...ask,
      messages: [user, { role: "assistant", content }, more],
    });
  for (const index of [1, 2, 3])
    expect(promptOf(index).slice(0, heldBy(0).length)).toEqual(heldBy(0));
});

it("case 23: arguments that are no JSON come back as they were said, and are never parsed again", async () => {
  bench.say('<tool_call>\n{"name": "edit", "arguments": {"line": 2,}}\n</tool_call>', "ok");
  const first = await client.messages.create({ ...ask, messages: [user] });
  const second = await client.messages.create({
    ...ask,
    messages: [user, { role: "assistant", content: first.content }, { role: "user", content: "?" }],
  });
  expect(second.stop_reason).toBe("end_turn");
  expect(promptOf(1).slice(0, heldBy(0).length)).toEqual(heldBy(0));
});

it("case 24: arguments that a client rewrites are found by the call's id", async () => {
  bench.say(
    '<tool_call>\n{"name": "edit", "arguments": {"code": "cd /work && ls  "}}\n</tool_call>',
    "ok",
  );
  const first = await client.messages.create({ ...ask, messages: [user] });
  const call = first.content.find((block) => block.type === "tool_use")!;
  await client.messages.create({
    ...ask,
    messages: [
      user,
      { role: "assistant", content: [{ ...call, input: { code: "ls", replace_all: false } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "a.js" }] },
    ],
  });
  expect(promptOf(1).slice(0, heldBy(0).length)).toEqual(heldBy(0));
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls.map(({ fork, rewritten }) => ({ fork, rewritten }))).toEqual([
    { fork: null, rewritten: false },
    { fork: null, rewritten: true },
  ]);
});

it("case 25: a prompt that fills the context is refused in the words by which Claude Code compacts", async () => {
  const long = "x ".repeat(4000);
  const refused = client.messages.create({ ...ask, messages: [{ role: "user", content: long }] });
  await expect(refused).rejects.toMatchObject({
    status: 400,
    error: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: expect.stringMatching(/^prompt is too long: \d+ tokens > 4096 maximum/),
      },
    },
  });
});

it("case 26: count_tokens is exact, with system, tools and what is held, and leaves no trace", async () => {
  bench.say(CALL, "Done.");
  const system = "Be brief.";
  const messages: Anthropic.MessageParam[] = [user];
  const counted = await client.messages.countTokens({ model: "tiny", system, tools, messages });
  const first = await client.messages.create({ ...ask, system, messages });
  expect(counted.input_tokens).toBe(first.usage.input_tokens);
  const call = first.content.find((block) => block.type === "tool_use")!;
  messages.push(
    { role: "assistant", content: first.content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "ok" }] },
  );
  const later = await client.messages.countTokens({ model: "tiny", system, tools, messages });
  const second = await client.messages.create({ ...ask, system, messages });
  expect(later.input_tokens).toBe(second.usage.input_tokens);
  expect((await bench.complete(session.sessionId)).trajectory.calls).toHaveLength(2);
});

it("says which stop sequence ended a turn", async () => {
  bench.say("one two three");
  const { stop_reason, stop_sequence, content } = await client.messages.create({
    ...ask,
    stop_sequences: ["nothing", " three"],
    messages: [user],
  });
  expect({ stop_reason, stop_sequence }).toEqual({
    stop_reason: "stop_sequence",
    stop_sequence: " three",
  });
  expect(content).toEqual([{ type: "text", text: "one two" }]);
});

it("tells a session that is over so that no client asks again", async () => {
  await bench.complete(session.sessionId);
  await expect(client.messages.create({ ...ask, messages: [user] })).rejects.toMatchObject({
    status: 403,
    error: { error: { type: "permission_error" } },
  });
});

it("leaves out tools that only a provider's servers run", async () => {
  bench.say("ok");
  const search = { type: "web_search_20250305", name: "web_search" } as const;
  await client.messages.create({ ...ask, tools: [search, ...tools], messages: [user] });
  expect(textOf(0)).toContain('"edit"');
  expect(textOf(0)).not.toContain("web_search");
});

it("lists its model for Anthropic's clients", async () => {
  const page = await client.models.list();
  expect(page.data.map(({ id }) => id)).toEqual(["tiny"]);
  expect((await client.models.retrieve("tiny")).display_name).toBe("tiny");
});
