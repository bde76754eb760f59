import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectTurn } from "#testing/expect-turn.ts";
import { familyModel } from "#testing/family-models.ts";
import { FamilyTurns } from "#testing/family-turns.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

let directory: string;
let coder: FamilyTurns;
let qwen35: FamilyTurns;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("qwen-xml");
  coder = await FamilyTurns.load(directory, familyModel("qwen3-coder"));
  qwen35 = await FamilyTurns.load(directory, familyModel("qwen3.5"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const END = "<|im_end|>";
const call = (name: string, ...parameters: [string, string][]) =>
  `<tool_call>\n<function=${name}>\n${parameters
    .map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`)
    .join("")}</function>\n</tool_call>`;
const run = (args: string) => [{ name: "run", arguments: args }];

describe("Qwen3-Coder", () => {
  it.each([
    [
      "a call",
      `I look.\n\n${call("run", ["command", "ls"])}${END}`,
      { content: "I look.", toolCalls: run('{"command": "ls"}') },
    ],
    [
      "a call without parameters",
      call("submit"),
      { toolCalls: [{ name: "submit", arguments: "{}" }] },
    ],
    [
      "parameters by their types",
      call(
        "run",
        ["timeout", "007"],
        ["ratio", "1.0"],
        ["background", "False"],
        ["env", '{"a": 1e-07}'],
        ["files", "[1,\n2]"],
        ["label", "null"],
      ),
      {
        toolCalls: run(
          '{"timeout": 7, "ratio": 1.0, "background": false, "env": {"a": 1e-07}, "files": [1,\n2], "label": null}',
        ),
      },
    ],
    [
      "strings that look like other values",
      call("run", ["command", "1.0"], ["label", "true"], ["unknown", "5"]),
      { toolCalls: run('{"command": "1.0", "label": "true", "unknown": "5"}') },
    ],
    [
      "values that are not of their type",
      call("run", ["timeout", "soon"], ["background", "maybe"], ["env", "{'a': 1}"]),
      { toolCalls: run(`{"timeout": "soon", "background": "maybe", "env": "{'a': 1}"}`) },
    ],
    [
      "line breaks and tags in a value",
      call("run", ["command", "\n  a\n\n</tool_call> <b>é🙂\n"]),
      { toolCalls: run('{"command": "\\n  a\\n\\n</tool_call> <b>é🙂\\n"}') },
    ],
    ["an empty value", call("run", ["command", ""]), { toolCalls: run('{"command": ""}') }],
    [
      "a value on its tag's line",
      "<tool_call><function=run><parameter=command>ls</parameter></function></tool_call>",
      { toolCalls: run('{"command": "ls"}') },
    ],
    [
      "a parameter that is given twice",
      call("run", ["command", "a"], ["command", "b"]),
      { toolCalls: run('{"command": "b"}') },
    ],
    [
      "parallel calls in order",
      `${call("run", ["command", "a"])}\n${call("submit")}`,
      { toolCalls: [...run('{"command": "a"}'), { name: "submit", arguments: "{}" }] },
    ],
    [
      "two functions in one block",
      "<tool_call>\n<function=submit>\n</function>\n<function=submit>\n</function>\n</tool_call>",
      {
        toolCalls: [
          { name: "submit", arguments: "{}" },
          { name: "submit", arguments: "{}" },
        ],
      },
    ],
    [
      "a function without its block, as the reference parser does",
      "a\n<function=run>\n<parameter=command>\nls\n</parameter>\n</function>\nb",
      { content: "a\n\nb", toolCalls: run('{"command": "ls"}') },
    ],
    ["other tags as text", "a <func <b> <function", { content: "a <func <b> <function" }],
  ])("reads %s", (_, text, expected) => expectTurn(coder, text, expected));

  it.each([
    [
      "a parameter that is not closed",
      "<tool_call>\n<function=run>\n<parameter=command>\nls\n<parameter=timeout>\n1\n</parameter>\n</function>\n</tool_call>",
      { toolCalls: run('{"command": "ls", "timeout": 1}') },
    ],
    [
      "text between parameters",
      "<tool_call>\n<function=run>\nx\n</function>\n</tool_call>",
      { toolCalls: run("{}") },
    ],
    ["no function", "<tool_call>\nls\n</tool_call>", { content: "<tool_call>\nls\n</tool_call>" }],
    [
      "no name",
      "<tool_call>\n<function=>\n</function>\n</tool_call>",
      { content: "<tool_call>\n<function=>\n</function>" },
    ],
    [
      "a block in place of its end",
      `<tool_call>\n<function=submit>\n</function>\n${call("submit")}`,
      {
        toolCalls: [
          { name: "submit", arguments: "{}" },
          { name: "submit", arguments: "{}" },
        ],
      },
    ],
    [
      "text in the block behind the call",
      "<tool_call>\n<function=submit>\n</function>\nand so on\n</tool_call>",
      { content: "and so on", toolCalls: [{ name: "submit", arguments: "{}" }] },
    ],
  ])("malformed: %s", (_, text, expected) =>
    expectTurn(coder, text, { ...expected, status: "malformed" }),
  );

  it.each([
    [
      "no end of the function",
      "<tool_call>\n<function=run>\n<parameter=command>\necho hi\n</parameter>\n</tool_call>",
      { toolCalls: run('{"command": "echo hi"}') },
    ],
    [
      "no end of function and parameter",
      "I look.\n<tool_call>\n<function=run>\n<parameter=command>\necho hi\n</tool_call>",
      { content: "I look.", toolCalls: run('{"command": "echo hi"}') },
    ],
    [
      "no end at all",
      "<tool_call>\n<function=run>\n<parameter=command>\necho hi",
      { toolCalls: run('{"command": "echo hi"}') },
    ],
    [
      "no end of a function outside of a block",
      "<function=run>\n<parameter=command>\necho hi\n</parameter>",
      { toolCalls: run('{"command": "echo hi"}') },
    ],
    [
      "no parameter and no end",
      "<tool_call>\n<function=submit>\n</tool_call>",
      { toolCalls: [{ name: "submit", arguments: "{}" }] },
    ],
    [
      "no end of the first of two functions",
      `<tool_call>\n<function=run>\n<parameter=command>\nls\n</parameter>\n</tool_call>\n${call("submit")}`,
      { toolCalls: [...run('{"command": "ls"}'), { name: "submit", arguments: "{}" }] },
    ],
    [
      "no end of the first function and its parameter",
      `<tool_call>\n<function=run>\n<parameter=command>\nls\n</tool_call>\n${call("submit")}`,
      { toolCalls: [...run('{"command": "ls"}'), { name: "submit", arguments: "{}" }] },
    ],
    [
      "text behind a function without its end",
      "<tool_call>\n<function=run>\n<parameter=command>\nls\n</parameter>\n</tool_call>\nand so on",
      { content: "\nand so on", toolCalls: run('{"command": "ls"}') },
    ],
  ])("a turn that the model ended is delivered as a call: %s", (_, text, expected) =>
    expectTurn(coder, `${text}${END}`, { content: "", ...expected, status: "malformed" }),
  );

  it.each([
    ["no name", "<tool_call>\n<function="],
    ["no function", "<tool_call>\nls"],
  ])("a turn that the model ended has no call with %s", (_, text) =>
    expectTurn(coder, `${text}${END}`, { content: text, status: "unclosed" }),
  );

  it.each([
    ["inside a value", "a\n<tool_call>\n<function=run>\n<parameter=command>\nls é"],
    ["inside the name", "<tool_call>\n<function=ru"],
    ["before the function", "<tool_call>\n"],
  ])("case 04: a turn that is cut %s has no call", (_, text) =>
    expectTurn(coder, text, { content: text, status: "unclosed" }),
  );

  it("case 04: a whole function before the cut stands", () =>
    expectTurn(coder, "<tool_call>\n<function=submit>\n</function>\n", {
      toolCalls: [{ name: "submit", arguments: "{}" }],
      status: "unclosed",
    }));

  it("a block whose mark is spelled out is text, and its function counts alone", async () => {
    const turn = await coder.read(coder.spell("a <tool_call>b</tool_call>"));
    expect(turn).toMatchObject({ content: "a <tool_call>b</tool_call>", status: "ok" });
  });
});

describe("Qwen3.5", () => {
  const prompt = "<|im_start|>assistant\n<think>\n";
  it.each([
    [
      "the thought that the prompt opened, and a call",
      `Hm.\n</think>\n\nI look.\n\n${call("run", ["command", "ls"])}${END}`,
      { reasoning: "Hm.", content: "I look.", toolCalls: run('{"command": "ls"}') },
    ],
    [
      "a block that ends the thought",
      `Hm.\n${call("submit")}`,
      { reasoning: "Hm.", toolCalls: [{ name: "submit", arguments: "{}" }] },
    ],
    [
      "a function in the thought as thought",
      "<function=submit></function>",
      { reasoning: "<function=submit></function>", status: "unclosed" as const },
    ],
    ["a second opening mark", "<think>\nHm.</think>x", { reasoning: "Hm.", content: "x" }],
  ])("reads %s", (_, text, expected) => expectTurn(qwen35, text, expected, { prompt }));

  it("knows a prompt that has closed the thought", () =>
    expectTurn(qwen35, "x", { content: "x" }, { prompt: `${prompt}\n</think>\n\n` }));
});
