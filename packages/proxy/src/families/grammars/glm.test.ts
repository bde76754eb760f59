import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectTurn } from "#testing/expect-turn.ts";
import { familyModel } from "#testing/family-models.ts";
import { FamilyTurns } from "#testing/family-turns.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

let directory: string;
let glm46: FamilyTurns;
let glm47: FamilyTurns;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("glm");
  glm46 = await FamilyTurns.load(directory, familyModel("glm-4.6"));
  glm47 = await FamilyTurns.load(directory, familyModel("glm-4.7"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const call = (name: string, ...pairs: [string, string][]) =>
  `<tool_call>${name}\n${pairs
    .map(([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`)
    .join("")}</tool_call>`;
const run = (args: string) => [{ name: "run", arguments: args }];

describe("GLM-4.6", () => {
  it.each([
    [
      "thought, content and a call",
      `\n<think>Hm é</think>\nI look.\n${call("run", ["command", "ls"], ["timeout", "3"])}<|observation|>`,
      { reasoning: "Hm é", content: "I look.", toolCalls: run('{"command": "ls", "timeout": 3}') },
    ],
    ["no thought", "\n<think></think>\nYes.<|user|>", { content: "Yes." }],
    [
      "parallel calls",
      `${call("submit")}\n${call("run", ["background", "true"])}<|observation|>`,
      { toolCalls: [{ name: "submit", arguments: "{}" }, ...run('{"background": true}')] },
    ],
    [
      "a value to the letter",
      call("run", ["command", "\n a\n🙂 "]),
      { toolCalls: run('{"command": "\\n a\\n🙂 "}') },
    ],
    [
      "a call that ends the thought",
      `<think>x${call("submit")}`,
      { reasoning: "x", toolCalls: [{ name: "submit", arguments: "{}" }] },
    ],
  ])("reads %s", (_, text, expected) => expectTurn(glm46, text, expected));

  it.each([
    ["no name", call(""), { content: call("") }],
    ["prose in place of a name", call("run it now"), { content: call("run it now") }],
    [
      "a value that is not closed",
      "<tool_call>run<arg_key>command</arg_key><arg_value>ls</tool_call>",
      { toolCalls: run('{"command": "ls"}') },
    ],
  ])("malformed: %s", (_, text, expected) =>
    expectTurn(glm46, text, { ...expected, status: "malformed" }),
  );

  it("case 04: a turn that is cut inside a call has none", () => {
    const text = "a\n<tool_call>run\n<arg_key>command</arg_key>\n<arg_value>l";
    return expectTurn(glm46, text, { content: text, status: "unclosed" });
  });

  it("a mark that is spelled out is text", async () => {
    const turn = await glm46.read(glm46.spell(call("submit")));
    expect(turn).toMatchObject({ content: call("submit"), toolCalls: [], status: "ok" });
  });
});

describe("GLM-4.7", () => {
  it("reads calls without line breaks after the thought that the prompt opened", () =>
    expectTurn(
      glm47,
      "Hm.</think>I look.<tool_call>run<arg_key>command</arg_key><arg_value>ls</arg_value></tool_call><tool_call>submit</tool_call><|observation|>",
      {
        reasoning: "Hm.",
        content: "I look.",
        toolCalls: [...run('{"command": "ls"}'), { name: "submit", arguments: "{}" }],
      },
      { prompt: "<|assistant|><think>" },
    ));
});
