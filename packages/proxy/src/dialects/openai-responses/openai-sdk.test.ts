import type { OpenedSession } from "@liverl/contract/proxy-admin";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ProxyBench } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
let client: OpenAI;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  bench.engine.seen.length = 0;
  session = await bench.openSession();
  client = new OpenAI({ baseURL: session.baseUrl, apiKey: session.apiKey, maxRetries: 0 });
});

const promptOf = (index: number) => bench.engine.seen[index]!.request.token_ids;
const heldBy = (index: number) => [...promptOf(index), ...bench.engine.seen[index]!.sent];
const textOf = (index: number) => bench.renderer.decode(promptOf(index));

type Input = OpenAI.Responses.ResponseInputItem;
const tools: OpenAI.Responses.Tool[] = [
  {
    type: "function",
    name: "edit",
    description: "Edit.",
    strict: false,
    parameters: { type: "object", properties: { line: { type: "integer" } } },
  },
];
const CALL =
  'Let me see.\n<tool_call>\n{"name": "edit", "arguments": {"line": 2, "code": "é"}}\n</tool_call>';
const user: Input = { role: "user", content: [{ type: "input_text", text: "Fix it" }] };
const result = (call_id: string): Input => ({
  type: "function_call_output",
  call_id,
  output: "ok",
});

it("carries a conversation with tools, and its next turn extends what was sampled", async () => {
  bench.say(CALL, "Done.");
  const first = await client.responses.create({
    model: "tiny",
    input: [user],
    tools,
    store: false,
  });
  expect(first.status).toBe("completed");
  expect(first.output).toMatchObject([
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me see." }] },
    { type: "function_call", name: "edit", arguments: '{"line": 2, "code": "é"}' },
  ]);
  expect(first.usage).toMatchObject({
    input_tokens: promptOf(0).length,
    output_tokens: bench.turnIds(CALL).length,
  });
  const call = first.output.find((item) => item.type === "function_call")!;
  const second = await client.responses.create({
    model: "tiny",
    input: [user, ...(first.output as Input[]), result(call.call_id)],
    tools,
  });
  expect(second.output_text).toBe("Done.");
  expect(promptOf(1).slice(0, heldBy(0).length)).toEqual(heldBy(0));
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls.map(({ dialect, fork }) => [dialect, fork])).toEqual([
    ["openai-responses", null],
    ["openai-responses", null],
  ]);
});

it("streams the same response event by event", async () => {
  bench.say(CALL);
  const stream = client.responses.stream({ model: "tiny", input: [user], tools });
  const kinds: string[] = [];
  for await (const event of stream) kinds.push(event.type);
  const response = await stream.finalResponse();
  expect(response.output).toMatchObject([
    { type: "message", content: [{ text: "Let me see." }] },
    { type: "function_call", name: "edit", arguments: '{"line": 2, "code": "é"}' },
  ]);
  expect(kinds[0]).toBe("response.created");
  expect(kinds.at(-1)).toBe("response.completed");
  expect(kinds.filter((kind) => kind === "response.output_item.done")).toHaveLength(2);
});

it("case 22: reasoning comes back as it was given, or not at all", async () => {
  bench.say("<think>\nhm\n</think>\n\nYes.", "ok");
  const first = await client.responses.create({ model: "tiny", input: [user] });
  const said = first.output as Input[];
  const more: Input = { role: "user", content: "Sure?" };
  for (const back of [said, said.filter((item) => item.type !== "reasoning")])
    await client.responses.create({ model: "tiny", input: [user, ...back, more] });
  expect(promptOf(1).slice(0, heldBy(0).length)).toEqual(heldBy(0));
  expect(promptOf(2)).toEqual(promptOf(1));
});

it("case 28: custom tools and namespaces come back in the form in which the client defined them", async () => {
  const own = [
    { type: "custom", name: "apply_patch", description: "Patch.", format: { type: "text" } },
    {
      type: "namespace",
      name: "files",
      description: "Files.",
      tools: [{ type: "function", name: "read", parameters: { type: "object", properties: {} } }],
    },
    { type: "web_search" },
  ] as unknown as OpenAI.Responses.Tool[];
  const patch = "*** Begin Patch\n*** End Patch";
  bench.say(
    `<tool_call>\n${JSON.stringify({ name: "apply_patch", arguments: { input: patch } })}\n</tool_call>\n<tool_call>\n{"name": "files__read", "arguments": {}}\n</tool_call>`,
    "ok",
  );
  const first = await client.responses.create({
    model: "tiny",
    input: [{ role: "developer", content: "Be brief." }, user],
    tools: own,
    parallel_tool_calls: false,
    include: ["reasoning.encrypted_content"],
    store: false,
  });
  const [custom, read] = first.output as unknown as Record<string, unknown>[];
  expect(custom).toMatchObject({ type: "custom_tool_call", name: "apply_patch", input: patch });
  expect(read).toMatchObject({ type: "function_call", namespace: "files", name: "read" });
  expect(textOf(0)).not.toContain("web_search");
  await client.responses.create({
    model: "tiny",
    input: [
      { role: "developer", content: "Be brief." },
      user,
      ...(first.output as Input[]),
      { type: "custom_tool_call_output", call_id: String(custom!.call_id), output: "done" },
      result(String(read!.call_id)),
    ],
    tools: own,
  });
  expect(promptOf(1).slice(0, heldBy(0).length)).toEqual(heldBy(0));
});

it("goes on from a response by its id, also under new instructions", async () => {
  bench.say("One.", "Two.", "Three.");
  const first = await client.responses.create({ model: "tiny", instructions: "A", input: "Hi" });
  const second = await client.responses.create({
    model: "tiny",
    input: "More",
    previous_response_id: first.id,
  });
  expect(promptOf(1).slice(0, heldBy(0).length)).toEqual(heldBy(0));
  await client.responses.create({
    model: "tiny",
    instructions: "B",
    input: "Last",
    previous_response_id: second.id,
  });
  expect(textOf(2)).toMatch(/B[\s\S]*Hi[\s\S]*One\.[\s\S]*More[\s\S]*Two\.[\s\S]*Last/);
  await expect(
    client.responses.create({ model: "tiny", input: "x", previous_response_id: "resp_other_7" }),
  ).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
});

it("says that a turn was cut", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("long", { close: false }), finish: "length" }));
  const { status, incomplete_details } = await client.responses.create({
    model: "tiny",
    input: "Hi",
  });
  expect({ status, incomplete_details }).toEqual({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
  });
});

it("gives a session that is over one clear 400", async () => {
  await bench.complete(session.sessionId);
  await expect(client.responses.create({ model: "tiny", input: "Hi" })).rejects.toMatchObject({
    status: 400,
    code: "session_complete",
  });
});
