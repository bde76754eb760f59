import { expect, it } from "vitest";
import { foldInput } from "#dialects/openai-responses/fold-input.ts";

it("says of an item that is given by its id what to send instead", () => {
  expect(() => foldInput([], { type: "item_reference", id: "msg_1" }, "", 0)).toThrow(
    expect.objectContaining({
      fault: "invalid",
      param: "input.0",
      message: expect.stringContaining("previous_response_id"),
    }),
  );
});

it.each([
  [
    {
      type: "web_search_call",
      id: "w",
      status: "completed",
      action: { type: "search", query: "q" },
    },
    ["web_search", '{"type":"search","query":"q"}', "completed"],
  ],
  [
    { type: "file_search_call", id: "w", queries: ["q"], results: [{ text: "found" }] },
    ["file_search", '{"queries":["q"]}', '[{"text":"found"}]'],
  ],
  [
    { type: "code_interpreter_call", id: "w", code: "1+1", outputs: [{ type: "logs", logs: "2" }] },
    ["code_interpreter", '{"code":"1+1"}', '[{"type":"logs","logs":"2"}]'],
  ],
  [
    {
      type: "mcp_call",
      id: "w",
      name: "get",
      server_label: "s",
      arguments: '{"a":1}',
      output: "out",
    },
    ["get", '{"a":1}', "out"],
  ],
  [
    { type: "image_generation_call", id: "w", status: "completed", result: "iVBO" },
    ["image_generation", "{}", "[image omitted]"],
  ],
])("shows what a server's tool did: %j", (item, [name, text, output]) => {
  const messages: { role: string }[] = [];
  foldInput(messages, item, "", 0);
  expect(messages).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "w", type: "function", function: { name, arguments: text } }],
    },
    { role: "tool", tool_call_id: "w", content: output },
  ]);
});
