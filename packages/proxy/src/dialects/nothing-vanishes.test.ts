import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ProxyBench } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  bench.engine.seen.length = 0;
  bench.say("ok");
  session = await bench.openSession();
});

type Path = "chat/completions" | "messages" | "responses";

async function send(path: Path, body: object) {
  const response = await fetch(`${session.baseUrl}/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${session.apiKey}` },
    body: JSON.stringify({ model: "m", ...(path === "messages" && { max_tokens: 64 }), ...body }),
  });
  return {
    status: response.status,
    ignored: response.headers.get("x-liverl-ignored"),
    text: await response.text(),
    prompt: () => bench.renderer.decode(bench.engine.seen.at(-1)!.request.token_ids),
  };
}

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const call = (name: string) => ({ type: "function_call", call_id: "q", name, arguments: "{}" });
const WRITE = { name: "Write", description: "writes", input_schema: { type: "object" } };
const used = (block: object) => ({
  tools: [WRITE],
  messages: [
    user("make a.txt"),
    assistant([{ type: "tool_use", id: "t1", name: "Write", input: {} }]),
    user([block]),
  ],
});

it.each<[string, Path, object, string[]]>([
  [
    "functions, function_call and the role function",
    "chat/completions",
    {
      functions: [
        { name: "run", parameters: { type: "object", properties: { cmd: { type: "string" } } } },
      ],
      messages: [
        user("list"),
        {
          role: "assistant",
          content: null,
          function_call: { name: "run", arguments: '{"cmd": "ls"}' },
        },
        { role: "function", name: "run", content: "a.txt" },
      ],
    },
    ['"name": "run"', '"cmd": "ls"', "<tool_response>\na.txt"],
  ],
  [
    "a shell call and its output",
    "responses",
    {
      input: [
        user("list"),
        { type: "shell_call", call_id: "q", action: { commands: ["ls"] } },
        {
          type: "shell_call_output",
          call_id: "q",
          output: [{ stdout: "a.txt", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
        },
      ],
    },
    ['"name": "shell"', '"commands": ["ls"]', "a.txt", '"exit_code":0'],
  ],
  [
    "a document of text",
    "messages",
    {
      messages: [
        user([
          {
            type: "document",
            title: "notes",
            source: { type: "text", media_type: "text/plain", data: "The answer is 42." },
          },
          { type: "text", text: "what is the answer?" },
        ]),
      ],
    },
    ["notes\nThe answer is 42.\nwhat is the answer?"],
  ],
  [
    "a document of blocks",
    "messages",
    {
      messages: [
        user([
          {
            type: "document",
            context: "of May",
            source: { type: "content", content: [{ type: "text", text: "one" }] },
          },
        ]),
      ],
    },
    ["of May\none"],
  ],
  [
    "a PDF",
    "messages",
    {
      messages: [
        user([
          {
            type: "document",
            title: "a.pdf",
            source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
          },
        ]),
      ],
    },
    ["[document a.pdf omitted]"],
  ],
  [
    "a search result",
    "messages",
    {
      messages: [
        user([
          {
            type: "search_result",
            title: "T",
            source: "http://x",
            content: [{ type: "text", text: "found" }],
          },
        ]),
      ],
    },
    ["T\nhttp://x\nfound"],
  ],
  [
    "a tool result without content",
    "messages",
    used({ type: "tool_result", tool_use_id: "t1" }),
    ["<tool_response>\n\n</tool_response>"],
  ],
  [
    "a failed tool result without text",
    "messages",
    used({ type: "tool_result", tool_use_id: "t1", is_error: true }),
    ["<tool_response>\nError:"],
  ],
  [
    "a tool result with an image",
    "messages",
    used({
      type: "tool_result",
      tool_use_id: "t1",
      content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aa" } }],
    }),
    ["[image omitted]"],
  ],
  [
    "a tool result with tool references",
    "messages",
    used({
      type: "tool_result",
      tool_use_id: "t1",
      content: [{ type: "tool_reference", tool_name: "Grep" }],
    }),
    ["Grep"],
  ],
  [
    "a web search of Anthropic's servers",
    "messages",
    {
      messages: [
        user("search"),
        assistant([
          { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } },
          {
            type: "web_search_tool_result",
            tool_use_id: "s1",
            content: [
              {
                type: "web_search_result",
                title: "Page",
                url: "http://x",
                encrypted_content: "zzz",
              },
            ],
          },
          { type: "text", text: "It says so." },
        ]),
        user("more"),
      ],
    },
    ['"query": "q"', "Page", "It says so."],
  ],
  [
    "a compaction",
    "messages",
    {
      messages: [
        user("a"),
        assistant([{ type: "compaction", content: "The summary." }]),
        user("b"),
      ],
    },
    ["The summary."],
  ],
  [
    "a refusal as a part",
    "chat/completions",
    { messages: [user("a"), assistant([{ type: "refusal", refusal: "I will not." }]), user("b")] },
    ["I will not."],
  ],
  [
    "a refusal as a field",
    "chat/completions",
    { messages: [user("a"), { ...assistant(null), refusal: "I will not." }, user("b")] },
    ["I will not."],
  ],
  [
    "a refusal in an item",
    "responses",
    {
      input: [
        user("a"),
        { type: "message", ...assistant([{ type: "refusal", refusal: "I will not." }]) },
        user("b"),
      ],
    },
    ["I will not."],
  ],
  [
    "a developer's message",
    "chat/completions",
    { messages: [{ role: "developer", content: "Be brief." }, user("a")] },
    ["<|im_start|>system\nBe brief."],
  ],
  [
    "audio",
    "chat/completions",
    { messages: [user([{ type: "input_audio", input_audio: { data: "aa", format: "wav" } }])] },
    ["[audio omitted]"],
  ],
  [
    "a file",
    "chat/completions",
    {
      messages: [
        user([
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aa" },
          },
        ]),
      ],
    },
    ["[file a.pdf omitted]"],
  ],
  [
    "a file of text",
    "chat/completions",
    {
      messages: [
        user([
          {
            type: "file",
            file: {
              filename: "a.txt",
              file_data: `data:text/plain;base64,${Buffer.from("inside").toString("base64")}`,
            },
          },
        ]),
      ],
    },
    ["a.txt\ninside"],
  ],
  [
    "an apply_patch call",
    "responses",
    {
      input: [
        user("a"),
        {
          type: "apply_patch_call",
          call_id: "q",
          status: "completed",
          operation: { type: "delete_file", path: "a.txt" },
        },
        { type: "apply_patch_call_output", call_id: "q", status: "completed" },
      ],
    },
    ['"delete_file"', "completed"],
  ],
  [
    "a local shell call",
    "responses",
    {
      input: [
        user("a"),
        {
          type: "local_shell_call",
          id: "i",
          call_id: "q",
          status: "completed",
          action: { type: "exec", command: ["ls"], env: {} },
        },
        { type: "local_shell_call_output", id: "q", call_id: "q", output: "a.txt" },
      ],
    },
    ['"ls"', "a.txt"],
  ],
  [
    "a call's output that is left out",
    "responses",
    {
      input: [user("a"), call("f"), { type: "function_call_output", call_id: "q" }],
    },
    ["<tool_response>\n\n</tool_response>"],
  ],
  [
    "a screenshot",
    "responses",
    {
      input: [
        user("a"),
        {
          type: "computer_call",
          call_id: "q",
          id: "i",
          action: { type: "screenshot" },
          status: "completed",
          pending_safety_checks: [],
        },
        {
          type: "computer_call_output",
          call_id: "q",
          output: { type: "computer_screenshot", image_url: "http://x" },
        },
      ],
    },
    ['"screenshot"', "[screenshot omitted]"],
  ],
])("reaches the prompt: %s", async (_, path, body, texts) => {
  const { status, text, prompt } = await send(path, body);
  expect(status, text).toBe(200);
  for (const wanted of texts) expect(prompt()).toContain(wanted);
});

it.each<[string, Path, object, string]>([
  [
    "an unknown role",
    "chat/completions",
    { messages: [user("a"), { role: "critic", content: "b" }] },
    "messages.1.role",
  ],
  [
    "an unknown role",
    "messages",
    { messages: [user("a"), { role: "critic", content: "b" }] },
    "messages.1.role",
  ],
  [
    "an unknown role",
    "responses",
    { input: [user("a"), { role: "critic", content: "b" }] },
    "input.1.role",
  ],
  [
    "a part of no known type",
    "chat/completions",
    { messages: [user([{ type: "text", text: "a" }, { type: "hologram" }])] },
    "messages.0.content.1",
  ],
  [
    "a block of no known type",
    "messages",
    { messages: [user("a"), assistant("b"), user("c"), user([{ type: "hologram" }])] },
    "messages.3.content.0",
  ],
  [
    "a block of no known type behind a tool result",
    "messages",
    {
      messages: [
        ...used({ type: "tool_result", tool_use_id: "t1" }).messages,
        user([{ type: "hologram" }]),
      ],
    },
    "messages.3.content.0",
  ],
  [
    "a block in a tool result",
    "messages",
    used({ type: "tool_result", tool_use_id: "t1", content: [{ type: "hologram" }] }),
    "messages.2.content.0.content.0",
  ],
  [
    "a tool result of no call",
    "messages",
    { messages: [user([{ type: "tool_result", content: "x" }])] },
    "messages.0.content.0.tool_use_id",
  ],
  [
    "an item of no known type",
    "responses",
    { input: [user("a"), { type: "hologram" }] },
    "input.1",
  ],
  [
    "a compaction that nobody can read",
    "responses",
    { input: [user("a"), { type: "compaction", encrypted_content: "zz" }] },
    "input.1",
  ],
  [
    "tools as an item",
    "responses",
    { input: [{ type: "additional_tools", tools: [] }, user("a")] },
    "input.0",
  ],
  [
    "a stored conversation",
    "responses",
    { conversation: "conv_1", input: [user("a")] },
    "conversation",
  ],
  ["a stored prompt", "responses", { prompt: { id: "pmpt_1" }, input: [user("a")] }, "prompt"],
  [
    "speech as an answer",
    "chat/completions",
    { modalities: ["text", "audio"], messages: [user("a")] },
    "modalities",
  ],
  [
    "a system prompt of an image",
    "messages",
    { system: [{ type: "hologram" }], messages: [user("a")] },
    "system.0",
  ],
])("is refused with its place: %s, %s", async (_, path, body, place) => {
  const { status, text } = await send(path, body);
  expect(status).toBe(400);
  const { error } = JSON.parse(text) as { error: { message: string; param?: string } };
  if (path === "messages")
    expect(error.message).toMatch(new RegExp(`^${place.replaceAll(".", "\\.")}: `));
  else expect(error.param).toBe(place);
  expect(bench.engine.seen).toEqual([]);
});

it.each<[Path, object, string]>([
  [
    "chat/completions",
    {
      messages: [user("a")],
      response_format: { type: "json_object" },
      tool_choice: "required",
      tools: [{ type: "function", function: { name: "f" } }, { type: "web_search" }],
    },
    "tool_choice, response_format, tools.1",
  ],
  [
    "messages",
    {
      messages: [user("a")],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      tools: [WRITE, { type: "web_search_20250305", name: "web_search" }],
      output_config: { format: { type: "json_schema", schema: {} } },
    },
    "tool_choice, tool_choice.disable_parallel_tool_use, output_config.format, tools.1",
  ],
  [
    "responses",
    {
      input: [user("a")],
      tools: [{ type: "shell" }],
      tool_choice: { type: "shell" },
      text: { format: { type: "json_object" } },
      parallel_tool_calls: false,
    },
    "tool_choice, parallel_tool_calls, text.format, tools.0",
  ],
])("names what has no effect in the answer and in the record: %s", async (path, body, names) => {
  const { status, ignored } = await send(path, body);
  expect(status).toBe(200);
  expect(ignored).toBe(names);
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls[0]!.ignored).toEqual(names.split(", "));
});

it.each([true, false])(
  "answers old clients by function_call, and knows the turn again, streamed: %s",
  async (stream) => {
    bench.say('<tool_call>\n{"name": "run", "arguments": {"cmd": "ls"}}\n</tool_call>', "done");
    const functions = [
      { name: "run", parameters: { type: "object", properties: { cmd: { type: "string" } } } },
    ];
    const first = { functions, messages: [user("list")], stream };
    const { text } = await send("chat/completions", first);
    expect(text).toContain('"finish_reason":"function_call"');
    expect(text).toContain('"function_call":{"name":"run","arguments":"{\\"cmd\\": \\"ls\\"}"}');
    const function_call = { name: "run", arguments: '{"cmd": "ls"}' };
    const next = [
      user("list"),
      { role: "assistant", content: null, function_call },
      { role: "function", name: "run", content: "a.txt" },
    ];
    await send("chat/completions", { functions, messages: next });
    const { trajectory } = await bench.complete(session.sessionId);
    expect(trajectory.calls.map(({ fork }) => fork)).toEqual([null, null]);
    expect(trajectory.segments).toHaveLength(1);
  },
);

it("offers a custom tool and answers with a custom call", async () => {
  bench.say('<tool_call>\n{"name": "sh", "arguments": {"input": "ls -l"}}\n</tool_call>', "done");
  const tools = [{ type: "custom", custom: { name: "sh", description: "runs" } }];
  const { text, prompt } = await send("chat/completions", { tools, messages: [user("list")] });
  expect(prompt()).toContain('"name": "sh"');
  const { message } = (
    JSON.parse(text) as { choices: { message: { tool_calls: { id: string }[] } }[] }
  ).choices[0]!;
  expect(message.tool_calls[0]).toMatchObject({
    type: "custom",
    custom: { name: "sh", input: "ls -l" },
  });
  const back = { role: "tool", tool_call_id: message.tool_calls[0]!.id, content: "a.txt" };
  await send("chat/completions", { tools, messages: [user("list"), message, back] });
  expect((await bench.complete(session.sessionId)).trajectory.calls[1]!.fork).toBeNull();
});
