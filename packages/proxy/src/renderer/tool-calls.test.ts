import { expect, it } from "vitest";
import { parseToolCalls } from "#renderer/tool-calls.ts";

const block = (body: string) => `<tool_call>\n${body}\n</tool_call>`;

it.each([
  ["no call", "just text", { content: "just text", toolCalls: [], status: "ok" }],
  [
    "text before a call",
    `I see.\n${block('{"name": "t", "arguments": {"a": 1.0}}')}`,
    { content: "I see.", toolCalls: [{ name: "t", arguments: '{"a": 1.0}' }], status: "ok" },
  ],
  [
    "no arguments",
    block('{"name": "t"}'),
    { content: "", toolCalls: [{ name: "t", arguments: "{}" }], status: "ok" },
  ],
  [
    "the close tag inside a string",
    block('{"name": "t", "arguments": {"s": "</tool_call>"}}'),
    { content: "", toolCalls: [{ name: "t", arguments: '{"s": "</tool_call>"}' }], status: "ok" },
  ],
  [
    "broken JSON",
    block('{"name": "t", "arguments": {'),
    { content: block('{"name": "t", "arguments": {'), toolCalls: [], status: "malformed" },
  ],
  [
    "arguments that are no object",
    block('{"name": "t", "arguments": "x"}'),
    { content: block('{"name": "t", "arguments": "x"}'), toolCalls: [], status: "malformed" },
  ],
  [
    "a second value",
    block('{"name": "t"} {"name": "u"}'),
    { content: block('{"name": "t"} {"name": "u"}'), toolCalls: [], status: "malformed" },
  ],
  [
    "case 04: the end inside a call",
    '<tool_call>\n{"name": "t", "argu',
    { content: '<tool_call>\n{"name": "t", "argu', toolCalls: [], status: "unclosed" },
  ],
  [
    "case 04: the end before the close tag",
    '<tool_call>\n{"name": "t"}',
    { content: '<tool_call>\n{"name": "t"}', toolCalls: [], status: "unclosed" },
  ],
])("reads %s", (_, text, expected) => {
  expect(parseToolCalls(text)).toEqual(expected);
});

it("case 07: keeps the order of parallel calls, and the sound ones beside an unsound one", () => {
  const text =
    block('{"name": "b", "arguments": {"2": 1, "1": 2}}') +
    block("{") +
    block('{"name": "a", "arguments": {}}');
  expect(parseToolCalls(text)).toEqual({
    content: block("{"),
    toolCalls: [
      { name: "b", arguments: '{"2": 1, "1": 2}' },
      { name: "a", arguments: "{}" },
    ],
    status: "malformed",
  });
});
