import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectTurn } from "#testing/expect-turn.ts";
import { familyModel } from "#testing/family-models.ts";
import { FamilyTurns } from "#testing/family-turns.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

const block = (body: string) => `<tool_call>\n${body}\n</tool_call>`;
const END = "<|im_end|>";

let directory: string;
let qwen25: FamilyTurns;
let qwen3: FamilyTurns;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("hermes");
  qwen25 = await FamilyTurns.load(directory, familyModel("qwen2.5"));
  qwen3 = await FamilyTurns.load(directory, familyModel("qwen3"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("Qwen2.5", () => {
  it.each([
    ["no call", `just text${END}`, { content: "just text" }],
    [
      "text before a call",
      `I see.\n${block('{"name": "run", "arguments": {"a": 1.0}}')}${END}`,
      { content: "I see.", toolCalls: [{ name: "run", arguments: '{"a": 1.0}' }] },
    ],
    [
      "numbers, keys and spaces as they were written",
      block('{"arguments": {"10":  1e-07, "2": 9007199254740993}, "name": "run"}'),
      { toolCalls: [{ name: "run", arguments: '{"10":  1e-07, "2": 9007199254740993}' }] },
    ],
    ["no arguments", block('{"name": "t"}'), { toolCalls: [{ name: "t", arguments: "{}" }] }],
    [
      "a call without line breaks",
      '<tool_call>{"name":"t","arguments":{}}</tool_call>',
      { toolCalls: [{ name: "t", arguments: "{}" }] },
    ],
    [
      "the closing mark inside of a string",
      block('{"name": "t", "arguments": {"s": "</tool_call>\\" </tool_call>"}}'),
      { toolCalls: [{ name: "t", arguments: '{"s": "</tool_call>\\" </tool_call>"}' }] },
    ],
    [
      "content before, between and after calls",
      `a\n${block('{"name": "t"}')}\nb é\n${block('{"name": "u"}')}\n c${END}`,
      {
        content: "a\n\nb é\n\n c",
        toolCalls: [
          { name: "t", arguments: "{}" },
          { name: "u", arguments: "{}" },
        ],
      },
    ],
    [
      "white space alone beside a call",
      `\n\n${block('{"name": "t"}')}\n`,
      { toolCalls: [{ name: "t", arguments: "{}" }] },
    ],
    ["white space alone", " \n ", { content: " \n " }],
    [
      "a thought as text, since it knows none",
      "<think>x</think>y",
      { content: "<think>x</think>y" },
    ],
    ["half a mark at the end", "a <tool_cal", { content: "a <tool_cal" }],
    [
      "half a mark and other text",
      "a <tool_ b < c <tool_call",
      { content: "a <tool_ b < c <tool_call" },
    ],
    ["a closing mark alone", "a</tool_call>b", { content: "a</tool_call>b" }],
  ])("reads %s", (_, text, expected) => expectTurn(qwen25, text, expected));

  it.each([
    [
      "arguments that are broken",
      block('{"name": "t", "arguments": {"a": 1,}}'),
      { toolCalls: [{ name: "t", arguments: '{"a": 1,}' }] },
    ],
    [
      "arguments that end early",
      block('{"name": "t", "arguments": {'),
      { toolCalls: [{ name: "t", arguments: "{" }] },
    ],
    [
      "a missing brace",
      block('{"name": "t", "arguments": {"a": 1}'),
      { toolCalls: [{ name: "t", arguments: '{"a": 1}' }] },
    ],
    [
      "a brace too many",
      block('{"name": "t", "arguments": {"a": 1}}}'),
      { content: block('{"name": "t", "arguments": {"a": 1}}}') },
    ],
    [
      "a quote that is not escaped",
      `${block('{"name": "t", "arguments": {"a": "x"y"}}')} then ${block('{"name": "u"}')}`,
      {
        content: " then",
        toolCalls: [
          { name: "t", arguments: '{"a": "x"y"}' },
          { name: "u", arguments: "{}" },
        ],
      },
    ],
    [
      "arguments that are no object",
      block('{"name": "t", "arguments": "x"}'),
      { toolCalls: [{ name: "t", arguments: '"x"' }] },
    ],
    [
      "a second value",
      block('{"name": "t"} {"name": "u"}'),
      { content: block('{"name": "t"} {"name": "u"}') },
    ],
    ["no name", block('{"arguments": {}}'), { content: block('{"arguments": {}}') }],
    ["an empty block", block(""), { content: block("") }],
    [
      "a call in a call",
      `<tool_call>${block('{"name": "t"}')}`,
      { content: `<tool_call>${block('{"name": "t"}')}` },
    ],
  ])("malformed: %s", (_, text, expected) =>
    expectTurn(qwen25, text, { ...expected, status: "malformed" }),
  );

  it.each([
    ["inside the name", '<tool_call>\n{"na'],
    ["inside the arguments", 'a\n<tool_call>\n{"name": "t", "arguments": {"s": "é'],
    ["before the closing mark", '<tool_call>\n{"name": "t"}'],
    ["inside the closing mark", '<tool_call>\n{"name": "t"}\n</tool_ca'],
    ["after white space", '<tool_call>\n{"name": "t"} \n'],
  ])("case 04: a turn that is cut %s has no call", (_, text) =>
    expectTurn(qwen25, text, { content: text, status: "unclosed" }),
  );

  it.each([
    [
      "whole JSON",
      '<tool_call>\n{"name": "run", "arguments": {"command": "ls"}}\n<|im_end|>',
      {
        toolCalls: [{ name: "run", arguments: '{"command": "ls"}' }],
        status: "malformed" as const,
      },
    ],
    [
      "cut JSON",
      '<tool_call>\n{"name": "run", "arguments": {"command": "l<|im_end|>',
      {
        content: '<tool_call>\n{"name": "run", "arguments": {"command": "l',
        status: "unclosed" as const,
      },
    ],
  ])(
    "a call that lacks its closing mark in a turn that the model ended, as vLLM has it: %s",
    (_, text, expected) => expectTurn(qwen25, text, expected),
  );

  it("case 04: calls before the cut stand", () =>
    expectTurn(qwen25, `${block('{"name": "t"}')}\n<tool_call>\n{`, {
      content: "\n<tool_call>\n{",
      toolCalls: [{ name: "t", arguments: "{}" }],
      status: "unclosed",
    }));

  it("case 07: keeps the order of parallel calls, and the sound ones beside an unsound one", () =>
    expectTurn(
      qwen25,
      block('{"name": "b", "arguments": {"2": 1, "1": 2}}') + block("{") + block('{"name": "a"}'),
      {
        content: block("{"),
        toolCalls: [
          { name: "b", arguments: '{"2": 1, "1": 2}' },
          { name: "a", arguments: "{}" },
        ],
        status: "malformed",
      },
    ));

  it("case 09: text of a growing turn holds a character back until all of its bytes are there", async () => {
    const parser = await qwen25.start();
    const told = [...Buffer.from("é🙂!")].map((byte) => parser.push([byte]));
    const texts = told.map((deltas) => deltas.map((delta) => delta.text).join(""));
    expect(texts).toEqual(["", "é", "", "", "", "🙂", "!"]);
    expect(parser.end().content).toBe("é🙂!");
  });

  it("case 09: a character that never becomes whole is replaced", async () =>
    expect((await qwen25.read([0xc3, 0x41, 0xf0, 0x9f])).content).toBe("\ufffdA\ufffd"));

  it("case 10: an end of turn at once is an empty turn", () => expectTurn(qwen25, END, {}));

  it("special tokens are no text", () =>
    expectTurn(qwen25, `a<|endoftext|><|im_start|>b${END}`, { content: "ab" }));

  it("a mark that is spelled out counts, as in the reference parser", async () =>
    expect(await qwen25.read(qwen25.spell(block('{"name": "t"}')))).toMatchObject({
      content: "",
      toolCalls: [{ name: "t", arguments: "{}" }],
    }));

  it("without tools nothing is a call", () =>
    expectTurn(
      qwen25,
      `a\n${block('{"name": "t"}')}`,
      { content: `a\n${block('{"name": "t"}')}` },
      { tools: null },
    ));

  it.each([
    [5, "I see"],
    [0, ""],
    [13, "I see.\n<tool_"],
  ])(
    "case 08: a turn that a stop string cuts after %i characters",
    async (visibleLength, content) => {
      const text = `I see.\n${block('{"name": "t"}')}`;
      const turn = await qwen25.read(qwen25.spell(text), { visibleLength });
      expect(turn).toMatchObject({ content, toolCalls: [] });
    },
  );
});

describe("Qwen3", () => {
  it.each([
    [
      "thought, content and a call",
      `<think>\nHm.\n\nYes é\n</think>\n\nI see.\n${block('{"name": "t"}')}${END}`,
      { reasoning: "Hm.\n\nYes é", content: "I see.", toolCalls: [{ name: "t", arguments: "{}" }] },
    ],
    ["no thought", "<think>\n\n</think>\n\nYes.", { content: "Yes." }],
    [
      "spaces of the first line",
      "<think>x</think>\n\n  return",
      { reasoning: "x", content: "  return" },
    ],
    [
      "two thoughts",
      "<think>x</think>a <think> y </think>\nb",
      { reasoning: "x\ny", content: "a b" },
    ],
    [
      "a call that ends the thought",
      `<think>x ${block('{"name": "t"}')}`,
      { reasoning: "x", toolCalls: [{ name: "t", arguments: "{}" }] },
    ],
    ["a second end of thought", "<think>x</think>a</think>b", { reasoning: "x", content: "ab" }],
    ["a thought that is cut", "<think>\nHm, ", { reasoning: "Hm,", status: "unclosed" as const }],
  ])("reads %s", (_, text, expected) => expectTurn(qwen3, text, expected));

  it("goes on with the thought that the prompt opened", () =>
    expectTurn(
      qwen3,
      "x\n</think>\n\ny",
      { reasoning: "x", content: "y" },
      {
        prompt: "<|im_start|>assistant\n<think>\n",
      },
    ));

  it("takes no thought of an earlier turn for this one's", () =>
    expectTurn(
      qwen3,
      "y",
      { content: "y" },
      {
        prompt: "<|im_start|>assistant\n<think>\nx<|im_end|>\n<|im_start|>assistant\n",
      },
    ));

  it("marks of thought that are spelled out are text", async () =>
    expect(await qwen3.read(qwen3.spell("<think>x</think>y"))).toMatchObject({
      reasoning: null,
      content: "<think>x</think>y",
    }));
});
