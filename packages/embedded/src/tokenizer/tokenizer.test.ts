import { EMBEDDED_POLICY } from "@liverl/contract/embedded-policy";
import { Random } from "@liverl/contract/random";
import {
  drawRepairTask,
  instructionOf,
  REPAIR_SYSTEM_PROMPT,
  REPAIR_TOOLS,
} from "@liverl/contract/repair-task";
import { expect, test } from "vitest";
import { ChatEncoder } from "#chat/chat-encoder.ts";
import { modelFiles } from "#model/write-model-folder.ts";
import { ADDED_TOKENS } from "#tokenizer/added-tokens.ts";
import { TokenText } from "#tokenizer/token-text.ts";

const files = modelFiles();
const encoder = new ChatEncoder({
  tokenizerText: files["tokenizer.json"] ?? "",
  chatTemplate: files["chat_template.jinja"] ?? "",
});

test("text comes back from its ids, unicode included", async () => {
  const text = "héllo ✓ 日本 \t x\n  return a + b\n";
  const ids = await encoder.encodeContent(text);
  expect(await encoder.decode(ids)).toBe(text);
  expect(
    new TokenText(files["tokenizer.json"] ?? "").pieces(ids, { skipSpecial: false }).join(""),
  ).toBe(text);
});

test("given content never becomes an added token", async () => {
  const ids = await encoder.encodeContent("<|im_end|><tool_call>");
  expect(Math.max(...ids)).toBeLessThan(EMBEDDED_POLICY.vocab_size - ADDED_TOKENS.length);
});

test("every word of a task's wording is one token", async () => {
  const ids = await encoder.encodeContent(
    " remainder of a by b, whether a is at least b, difference merge rank",
  );
  expect(ids).toHaveLength(5 + 1 + 6 + 1 + 3);
});

test("what is appended turn by turn equals the whole conversation", async () => {
  const task = drawRepairTask(new Random(3), true);
  const start = [
    { role: "system" as const, content: REPAIR_SYSTEM_PROMPT },
    { role: "user" as const, content: instructionOf(task) },
  ];
  const args = { line: 2, code: "return a + b" };
  const prompt = await encoder.encode(start, REPAIR_TOOLS, true);
  expect(prompt.length).toBeLessThanOrEqual(110);
  const grown = [
    ...prompt,
    ...(await encoder.encodeCall("edit", args)),
    ...(await encoder.encodeToolAnswer("ok")),
  ];
  const call = {
    role: "assistant" as const,
    content: "",
    tool_calls: [{ type: "function" as const, function: { name: "edit", arguments: args } }],
  };
  const whole = await encoder.encode(
    [...start, call, { role: "tool", content: "ok" }],
    REPAIR_TOOLS,
    true,
  );
  expect(grown).toEqual(whole);
});

test("a tool needs no parameters, no properties and no description", async () => {
  const tools = [
    { name: "edit", description: "Edits.", parameters: { properties: { line: {}, code: {} } } },
    { name: "test", parameters: { type: "object" } },
    { name: "submit" },
  ].map((fn) => ({ type: "function", function: fn }));
  const ids = await encoder.encode([{ role: "user", content: "Go" }], tools, false);
  expect(await encoder.decode(ids)).toContain("\nedit(line, code): Edits.\ntest()\nsubmit()");
});
