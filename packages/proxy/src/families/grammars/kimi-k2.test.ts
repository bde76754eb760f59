import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectTurn } from "#testing/expect-turn.ts";
import { familyModel } from "#testing/family-models.ts";
import { FamilyTurns } from "#testing/family-turns.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

let directory: string;
let kimi: FamilyTurns;
let thinking: FamilyTurns;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("kimi-k2");
  kimi = await FamilyTurns.load(directory, familyModel("kimi-k2"));
  thinking = await FamilyTurns.load(directory, familyModel("kimi-k2-thinking"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const END = "<|im_end|>";
const call = (header: string, args: string) =>
  `<|tool_call_begin|>${header}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join("")}<|tool_calls_section_end|>`;
const run = (args: string) => [{ name: "run", arguments: args }];

describe("Kimi-K2", () => {
  it.each([
    [
      "content and parallel calls",
      `I look.${section(call("functions.run:0", ' {"command": "é🙂"} '), call("functions.submit:1", "{}"))}${END}`,
      {
        content: "I look.",
        toolCalls: [...run('{"command": "é🙂"}'), { name: "submit", arguments: "{}" }],
      },
    ],
    [
      "a name with dots and colons",
      section(call("functions.a.b:c:10", "{}")),
      { toolCalls: [{ name: "a.b:c", arguments: "{}" }] },
    ],
    ["thought as text, since it has none", "<think>x</think>", { content: "<think>x</think>" }],
  ])("reads %s", (_, text, expected) => expectTurn(kimi, text, expected));

  it.each([
    ["a header without an index", section(call("run", "{}")), { toolCalls: run("{}") }],
    ["broken arguments", section(call("functions.run:0", '{"a')), { toolCalls: run('{"a') }],
    [
      "a call without arguments' mark",
      section("<|tool_call_begin|>functions.run:0<|tool_call_end|>"),
      {
        content: "<|tool_calls_section_begin|><|tool_call_begin|>functions.run:0<|tool_call_end|>",
      },
    ],
  ])("malformed: %s", (_, text, expected) =>
    expectTurn(kimi, text, { ...expected, status: "malformed" }),
  );

  it("case 04: a turn that is cut inside a call has none", () => {
    const text =
      "a<|tool_calls_section_begin|><|tool_call_begin|>functions.run:0<|tool_call_argument_begin|>{";
    return expectTurn(kimi, text, { content: text, status: "unclosed" });
  });

  it("marks that are spelled out are text", async () => {
    const text = section(call("functions.run:0", "{}"));
    expect(await kimi.read(kimi.spell(text))).toMatchObject({ content: text, status: "ok" });
  });
});

describe("Kimi-K2-Thinking", () => {
  it.each([
    [
      "thought, content and a call",
      `<think>Hm</think>I look.${section(call("functions.run:3", "{}"))}${END}`,
      { reasoning: "Hm", content: "I look.", toolCalls: run("{}") },
    ],
    [
      "a section that ends the thought",
      `<think>Hm ${section(call("functions.run:3", "{}"))}`,
      { reasoning: "Hm", toolCalls: run("{}") },
    ],
  ])("reads %s", (_, text, expected) => expectTurn(thinking, text, expected));
});
